// Stands for Apple's module where it is missing: as much as the guides' examples use.
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]
public typealias OSStatus = Int32

public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlock: CFString = ""
public let kSecValueData: CFString = ""
public let errSecSuccess: OSStatus = 0
public let errSecDuplicateItem: OSStatus = -25299

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<AnyObject?>?) -> OSStatus { 0 }
