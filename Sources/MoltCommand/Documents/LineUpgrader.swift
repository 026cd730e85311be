import Molt

/// Upgrades lines of one kind, one after the other; each thread has its own.
protocol LineUpgrader {
    /// Upgrades the document of a line, and appends lines with it and with those that were extracted from it.
    ///
    /// - Parameters:
    ///   - text: The line without its line break.
    ///   - lineBreak: That line break; empty for a last line that has none.
    ///   - output: The last line gets no line break. After an error, what was appended has no meaning.
    /// - Throws: An error that names the document by what the line says.
    mutating func upgrade(
        _ text: UnsafeRawBufferPointer,
        lineBreak: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws(MoltError) -> LineResult
}

/// What became of the document of a line.
struct LineResult {
    var isChanged = false
    var isDropped = false
    /// The number of documents that were extracted from it.
    var extracted = 0
}

extension DocumentFields {
    /// An upgrader for lines with these fields.
    func upgrader(_ documents: DocumentUpgrade) -> any LineUpgrader {
        switch self {
        case .wholeLine(let fields): WholeLineUpgrader(fields, documents)
        case .envelope(let fields): EnvelopeUpgrader(fields, documents)
        }
    }
}

extension MoltError {
    /// The error of a line, with the key and the type that it has: a step may have changed them before.
    init(_ error: any Error, inLineOf key: String?, _ typeName: String?) {
        self = error as? MoltError ?? Self(.stepFailed, "The document cannot be upgraded.", underlying: error)
        (self.key, type) = (key, typeName)
        // Their labels speak of a store, and the message has the numbers.
        (storeVersion, registryVersion) = (nil, nil)
    }

    static var replacedByData: MoltError {
        MoltError(.unsupported, "A step replaces the document by raw data, which is not JSON text.")
    }
}
