/// The progress of an export or an import, which may be cancelled.
package struct TransferProgress: Sendable {
    /// The noun for the work, "export" or "import".
    let work: String
    let store: String
    /// Called with the completed share of the records; nil if no one asked.
    var progress: (@Sendable (Double) -> Void)?
    var isCancelled: @Sendable () -> Bool = { false }
    /// The number of records between two reports.
    private static let distance = 256

    func check() throws(MoltError) {
        guard isCancelled() else { return }
        throw MoltError(
            .cancelled,
            "The \(work) was cancelled.",
            outcome: .unchanged,
            store: store,
            underlying: CancellationError()
        )
    }

    /// Throws when the work was cancelled, and reports a number of records from time to time.
    func check(after count: Int, of total: @autoclosure () -> Int) throws(MoltError) {
        try check()
        if count % Self.distance == 0 { report(count, of: total()) }
    }

    func report(_ count: Int, of total: Int) {
        progress?(total > 0 ? Double(count) / Double(total) : 1)
    }
}
