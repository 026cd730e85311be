// Stands for Apple's CoreFoundation, for .ci/darwin; .ci/darwin imports it under this file's name.
@_exported import Foundation

public typealias CFString = NSString
nonisolated(unsafe) public let kCFPreferencesCurrentUser: CFString = "user"
nonisolated(unsafe) public let kCFPreferencesAnyHost: CFString = "host"
public func CFPreferencesCopyValue(_ key: CFString, _ domain: CFString, _ user: CFString, _ host: CFString) -> AnyObject? {
    nil
}
public func CFGetTypeID(_ object: AnyObject!) -> UInt { 0 }
public func CFBooleanGetTypeID() -> UInt { 0 }
