extension Record {
    /// Creates a record in the form that a store provides: the content followed by the key, read and indexed.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent`.
    package init(
        key: String = "",
        typeName: String = "",
        json: some Sequence<UInt8>,
        coding: RecordCoding = .standard
    ) throws {
        self.init(key: key, typeName: typeName, bytes: json, isData: false, coding: coding)
        try read()
    }

    /// Creates a record with raw data in the form that a store provides.
    package init(
        key: String = "",
        typeName: String = "",
        data: some Sequence<UInt8>,
        coding: RecordCoding = .standard
    ) {
        self.init(key: key, typeName: typeName, bytes: data, isData: true, coding: coding)
    }

    private init(
        key: String,
        typeName: String,
        bytes: some Sequence<UInt8>,
        isData: Bool,
        coding: RecordCoding
    ) {
        self.init(coding: coding)
        Array(bytes).withUnsafeBytes { content in
            Array(key.utf8).withUnsafeBytes { key in
                load(id: 0, typeName: typeName, key: key, content: content, isData: isData, expiration: nil)
            }
        }
    }
}
