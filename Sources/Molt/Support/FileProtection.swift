#if canImport(Darwin)
    internal import Foundation
#endif

/// The encryption of a file while the device is locked, which only Apple's systems have.
enum FileProtection {
    /// What the advice about a file that cannot be opened ends with; empty on systems that lock no files.
    static var advice: String {
        #if canImport(Darwin)
            " A protected file cannot be opened while the device is locked: try again later."
        #else
            ""
        #endif
    }

    /// Sets the protection class of a store's file, and of those beside it, if the file has another one.
    ///
    /// Other systems do nothing.
    ///
    /// - Parameter suffixes: What the names of the files beside it have in addition.
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    static func set(_ type: String, of path: String, suffixes: [String]) throws(MoltError) {
        #if canImport(Darwin)
            let type = FileProtectionType(rawValue: type)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            if (attributes?[.protectionKey] as? FileProtectionType)?.rawValue == type.rawValue { return }
            // The store's own file comes last: it tells whether all of them have the class.
            for file in (suffixes + [""]).map({ path + $0 }) where access(file, F_OK) == 0 {
                do {
                    try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: file)
                } catch {
                    throw MoltError(
                        .storeFailed,
                        "The protection class of the file at \(file) cannot be set.",
                        store: path,
                        underlying: error
                    )
                }
            }
        #endif
    }
}
