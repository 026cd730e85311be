/// Reads and changes settings by key, in a live suite or in a suite during an upgrade.
///
/// Both ``Suite`` and ``SuiteEditor`` conform to it, so typed keys work with both.
public protocol SettingsAccess {
    /// The value under a key of the suite's own domain, never of the registration, argument or global domain.
    ///
    /// - Returns: nil if the key has no value.
    /// - Throws: ``MoltError`` if the suite cannot be read.
    func value(forKey key: String) throws -> PropertyListValue?

    /// Sets a value.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for a value or a key that no suite can hold.
    func set(_ value: PropertyListValue, forKey key: String) throws

    /// Removes a value; does nothing if the key has no value.
    ///
    /// - Throws: ``MoltError`` if the suite cannot be changed.
    func removeValue(forKey key: String) throws
}
