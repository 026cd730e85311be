extension String {
    /// Decodes UTF-8; nil if any byte is invalid.
    ///
    /// `String(validating:as:)` does the same, but needs iOS 18.
    @inlinable
    package init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Each invalid byte was replaced.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
