#if !canImport(Darwin)
    internal import Foundation

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The calls of CoreFoundation that tell what `UserDefaults` has in memory on Linux, found by their names.
    ///
    /// Foundation is made of it there, and exports it, but it is no module to import: an import of it makes it the owner
    /// of the system's own types, as of `stat`, in every module that imports this one. An executable that Foundation is
    /// linked into does not export the names, and has none of this.
    ///
    /// Unchecked: nothing changes after `init`, and the calls that are made with it take the library's own lock.
    struct CoreFoundationCalls: @unchecked Sendable {
        /// A reference to any object of the library.
        typealias Object = UnsafeRawPointer

        /// Those of this process; nil where not all of them are found.
        static let shared = CoreFoundationCalls()

        /// `CFRelease`.
        let release: @convention(c) (Object) -> Void
        /// `CFGetTypeID`.
        let typeID: @convention(c) (Object) -> UInt

        /// `CFPreferencesCopyMultiple`: a copy of the values of a domain, of all keys for nil; none when it has no value.
        let copyValues: @convention(c) (Object?, Object, Object, Object) -> Object?
        /// `CFPreferencesSynchronize`: saves what is unsaved in one domain, and has its file read again.
        ///
        /// Nil where it is not found: nobody needs it to read.
        let synchronize: (@convention(c) (Object, Object, Object) -> UInt8)?
        /// `kCFPreferencesCurrentApplication`: the name of the app's own domain.
        let currentApplication: Object
        /// `kCFPreferencesCurrentUser`.
        let currentUser: Object
        /// `kCFPreferencesAnyHost`.
        let anyHost: Object

        /// `CFStringCreateWithBytes`.
        let makeString: @convention(c) (Object?, Object, Int, UInt32, UInt8) -> Object?
        /// `CFStringGetLength`, in units of UTF-16.
        let stringLength: @convention(c) (Object) -> Int
        /// `CFStringGetCString`.
        let copyCString: @convention(c) (Object, UnsafeMutableRawPointer, Int, UInt32) -> UInt8

        /// `CFNumberIsFloatType`.
        let isFloat: @convention(c) (Object) -> UInt8
        /// `CFNumberGetValue`.
        let number: @convention(c) (Object, Int, UnsafeMutableRawPointer) -> UInt8
        /// `CFBooleanGetValue`.
        let isTrue: @convention(c) (Object) -> UInt8
        /// `CFDateGetAbsoluteTime`.
        let seconds: @convention(c) (Object) -> Double

        /// `CFDataGetLength`.
        let dataCount: @convention(c) (Object) -> Int
        /// `CFDataGetBytePtr`.
        let dataBytes: @convention(c) (Object) -> Object?
        /// `CFArrayGetCount`.
        let arrayCount: @convention(c) (Object) -> Int
        /// `CFArrayGetValueAtIndex`.
        let element: @convention(c) (Object, Int) -> Object?
        /// `CFDictionaryGetCount`.
        let dictionaryCount: @convention(c) (Object) -> Int
        /// `CFDictionaryGetKeysAndValues`.
        let copyEntries: @convention(c) (Object, UnsafeMutablePointer<Object?>, UnsafeMutablePointer<Object?>) -> Void

        /// What `typeID` says of each kind.
        let (string, numeric, boolean, date, data, array, dictionary): (UInt, UInt, UInt, UInt, UInt, UInt, UInt)

        private init?() {
            func find(_ name: String) -> Object? {
                // In all that is loaded.
                dlsym(nil, name).map { Object($0) }
            }
            func constant(_ name: String) -> Object? {
                find(name)?.load(as: Object?.self)
            }
            func type(_ name: String) -> UInt? {
                find("CF\(name)GetTypeID").map { unsafeBitCast($0, to: (@convention(c) () -> UInt).self)() }
            }
            guard let release = find("CFRelease"), let typeID = find("CFGetTypeID"),
                let copyValues = find("CFPreferencesCopyMultiple"),
                let currentApplication = constant("kCFPreferencesCurrentApplication"),
                let currentUser = constant("kCFPreferencesCurrentUser"),
                let anyHost = constant("kCFPreferencesAnyHost"),
                let makeString = find("CFStringCreateWithBytes"), let stringLength = find("CFStringGetLength"),
                let copyCString = find("CFStringGetCString"),
                let isFloat = find("CFNumberIsFloatType"), let number = find("CFNumberGetValue"),
                let isTrue = find("CFBooleanGetValue"),
                let seconds = find("CFDateGetAbsoluteTime"),
                let dataCount = find("CFDataGetLength"), let dataBytes = find("CFDataGetBytePtr"),
                let arrayCount = find("CFArrayGetCount"), let element = find("CFArrayGetValueAtIndex"),
                let dictionaryCount = find("CFDictionaryGetCount"),
                let copyEntries = find("CFDictionaryGetKeysAndValues"),
                let stringType = type("String"), let numericType = type("Number"), let booleanType = type("Boolean"),
                let dateType = type("Date"), let dataType = type("Data"), let arrayType = type("Array"),
                let dictionaryType = type("Dictionary")
            else { return nil }
            // As `CFBase.h` and the headers of each of them declare them.
            self.release = unsafeBitCast(release, to: (@convention(c) (Object) -> Void).self)
            self.typeID = unsafeBitCast(typeID, to: (@convention(c) (Object) -> UInt).self)
            self.copyValues = unsafeBitCast(
                copyValues,
                to: (@convention(c) (Object?, Object, Object, Object) -> Object?).self
            )
            synchronize = find("CFPreferencesSynchronize").map {
                unsafeBitCast($0, to: (@convention(c) (Object, Object, Object) -> UInt8).self)
            }
            self.currentApplication = currentApplication
            self.currentUser = currentUser
            self.anyHost = anyHost
            self.makeString = unsafeBitCast(
                makeString,
                to: (@convention(c) (Object?, Object, Int, UInt32, UInt8) -> Object?).self
            )
            self.stringLength = unsafeBitCast(stringLength, to: (@convention(c) (Object) -> Int).self)
            self.copyCString = unsafeBitCast(
                copyCString,
                to: (@convention(c) (Object, UnsafeMutableRawPointer, Int, UInt32) -> UInt8).self
            )
            self.isFloat = unsafeBitCast(isFloat, to: (@convention(c) (Object) -> UInt8).self)
            self.number = unsafeBitCast(
                number,
                to: (@convention(c) (Object, Int, UnsafeMutableRawPointer) -> UInt8).self
            )
            self.isTrue = unsafeBitCast(isTrue, to: (@convention(c) (Object) -> UInt8).self)
            self.seconds = unsafeBitCast(seconds, to: (@convention(c) (Object) -> Double).self)
            self.dataCount = unsafeBitCast(dataCount, to: (@convention(c) (Object) -> Int).self)
            self.dataBytes = unsafeBitCast(dataBytes, to: (@convention(c) (Object) -> Object?).self)
            self.arrayCount = unsafeBitCast(arrayCount, to: (@convention(c) (Object) -> Int).self)
            self.element = unsafeBitCast(element, to: (@convention(c) (Object, Int) -> Object?).self)
            self.dictionaryCount = unsafeBitCast(dictionaryCount, to: (@convention(c) (Object) -> Int).self)
            self.copyEntries = unsafeBitCast(
                copyEntries,
                to: (@convention(c) (Object, UnsafeMutablePointer<Object?>, UnsafeMutablePointer<Object?>) -> Void).self
            )
            (string, numeric, boolean, date, data, array, dictionary) = (
                stringType, numericType, booleanType, dateType, dataType, arrayType, dictionaryType
            )
        }
    }
#endif
