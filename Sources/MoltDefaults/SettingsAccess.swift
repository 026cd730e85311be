/// Reads and changes settings by key: a live suite, or a suite during an upgrade.
///
/// Both ``Suite`` and what `migration.suite(_:)` gives are one of these, so typed keys work with both.
public protocol SettingsAccess {
    /// The value under a key of the suite's own domain, never one of the registration, argument or global domain.
    ///
    /// - Returns: nil when there is none.
    func value(forKey key: String) throws -> PropertyListValue?

    /// Sets a value.
    func set(_ value: PropertyListValue, forKey key: String) throws

    /// Removes a value; does nothing when there is none.
    func removeValue(forKey key: String) throws

    /// Takes what a subscript ran into, which cannot throw; tells ``DefaultsKeys/onFailure`` by default.
    ///
    /// During an upgrade it fails the upgrade.
    func subscriptFailed(_ error: any Error)
}

extension SettingsAccess {
    /// Tells ``DefaultsKeys/onFailure``.
    public func subscriptFailed(_ error: any Error) {
        DefaultsKeys.onFailure(error)
    }
}
