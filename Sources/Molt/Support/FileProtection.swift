#if canImport(Darwin)
    internal import Foundation
#endif

/// The encryption of a file while the device is locked, which only Apple's systems have.
enum FileProtection {
    /// Sets the protection class of a file; other systems do nothing.
    ///
    /// The class stays with the file when it is renamed.
    static func set(_ type: String, of path: String) throws {
        #if canImport(Darwin)
            try FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType(rawValue: type)],
                ofItemAtPath: path
            )
        #endif
    }
}
