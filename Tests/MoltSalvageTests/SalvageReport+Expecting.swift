import MoltSalvage
import Testing

extension SalvageReport {
    /// Expects these values, and assumptions that contain some words; nil is not compared.
    ///
    /// - Parameter isDamaged: Whether SQLite reports faults in the file.
    func expect(
        isWhole: Bool? = nil,
        saved: Int? = nil,
        raw: Int? = nil,
        stale: Int? = nil,
        lostPages: Int? = nil,
        quarantined: Int? = nil,
        isDamaged: Bool? = nil,
        assumes words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func same<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value?) {
            if let expected { #expect(found == expected, "\(what): \(self)", sourceLocation: sourceLocation) }
        }
        same("whole", self.isWhole, isWhole)
        same("saved", savedCount, saved)
        same("found page by page", rawCount, raw)
        same("stale", staleCount, stale)
        same("lost pages", lostPageCount, lostPages)
        same("in quarantine", quarantinedCount, quarantined)
        same("damaged", !damage.isEmpty, isDamaged)
        for words in words {
            let isAssumed = assumptions.contains { $0.contains(words) }
            #expect(isAssumed, "\(words): \(self)", sourceLocation: sourceLocation)
        }
    }
}
