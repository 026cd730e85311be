#if !canImport(Darwin)
    internal import Foundation

    /// What the library has of a suite's domain in memory, what the app has set and not yet saved included.
    ///
    /// `UserDefaults` gives a domain by making several objects of each value in it, and others of those. The library below
    /// it is asked instead: of ten thousand values that takes a tenth of the time. Registered defaults and launch
    /// arguments are `UserDefaults`' own, and are not seen there.
    package struct SuiteLibrary {
        private typealias Object = CoreFoundationCalls.Object

        private let calls: CoreFoundationCalls

        /// Everything in the domain; nil when only `UserDefaults` can tell.
        package static func values(of suite: Suite) -> [String: PropertyListValue]? {
            guard let calls = CoreFoundationCalls.shared else { return nil }
            return SuiteLibrary(calls: calls).values(of: suite.name)
        }

        /// Whether the domain has just these values, to the byte; false also when only `UserDefaults` can tell.
        ///
        /// Most often they are the same, and then nothing is made to compare them.
        package static func has(_ values: [String: PropertyListValue], in suite: Suite) -> Bool {
            guard let calls = CoreFoundationCalls.shared else { return false }
            let library = SuiteLibrary(calls: calls)
            return library.withValues(of: suite.name) { found in
                guard let found else { return values.isEmpty }
                return library.isSame(dictionary: found, values)
            } ?? false
        }

        /// Saves what is unsaved in the domain, and in no other, and has its file read again.
        ///
        /// - Returns: Whether that worked; nil when only `UserDefaults` can do it, and will do it for all domains.
        static func synchronize(_ suite: Suite) -> Bool? {
            guard let calls = CoreFoundationCalls.shared, let synchronize = calls.synchronize else { return nil }
            return SuiteLibrary(calls: calls).withApplication(suite.name) { application in
                synchronize(application, calls.currentUser, calls.anyHost) != 0
            }
        }

        private func values(of name: String?) -> [String: PropertyListValue]? {
            withValues(of: name) { found in
                guard let found else { return [:] }
                return dictionary(found, depth: -1)
            } ?? nil
        }

        /// Runs a closure with the library's copy of the domain, nil for one that has no value.
        private func withValues<Found>(of name: String?, _ body: (Object?) -> Found) -> Found? {
            withApplication(name) { application in
                let values = calls.copyValues(nil, application, calls.currentUser, calls.anyHost)
                defer { values.map(calls.release) }
                return body(values)
            }
        }

        /// Runs a closure with the name of the domain, as the library knows it.
        private func withApplication<Found>(_ name: String?, _ body: (Object) -> Found) -> Found? {
            let ownName = name.flatMap { makeString($0) }
            defer { ownName.map(calls.release) }
            guard let application = name == nil ? calls.currentApplication : ownName else { return nil }
            return body(application)
        }

        private static let utf8: UInt32 = 0x0800_0100

        private func makeString(_ string: String) -> Object? {
            var string = string
            return string.withUTF8 { bytes in
                bytes.baseAddress.flatMap { calls.makeString(nil, $0, bytes.count, Self.utf8, 0) }
            }
        }

        /// A value; nil for one that `PropertyListValue(normalizing:)` has to look at.
        private func value(_ object: Object, depth: Int) -> PropertyListValue? {
            switch calls.typeID(object) {
            case calls.string:
                return string(object).map { .string($0) }
            case calls.numeric:
                return number(object)
            case calls.boolean:
                return .bool(calls.isTrue(object) != 0)
            case calls.date:
                return .date(Date(timeIntervalSinceReferenceDate: calls.seconds(object)))
            case calls.data:
                let count = calls.dataCount(object)
                guard count > 0 else { return .data(Data()) }
                return calls.dataBytes(object).map { .data(Data(bytes: $0, count: count)) }
            case calls.array:
                return array(object, depth: depth)
            case calls.dictionary:
                return dictionary(object, depth: depth).map { .dictionary($0) }
            default:
                return nil
            }
        }

        // MARK: Comparing

        private func isSame(_ object: Object, _ value: PropertyListValue) -> Bool {
            switch value {
            case .string(let text):
                return calls.typeID(object) == calls.string && isSame(string: object, text)
            case .data(let data):
                guard calls.typeID(object) == calls.data, calls.dataCount(object) == data.count else { return false }
                guard let bytes = calls.dataBytes(object) else { return data.isEmpty }
                return data.elementsEqual(UnsafeRawBufferPointer(start: bytes, count: data.count))
            case .array(let elements):
                guard calls.typeID(object) == calls.array, calls.arrayCount(object) == elements.count else {
                    return false
                }
                return elements.indices.allSatisfy { index in
                    calls.element(object, index).map { isSame($0, elements[index]) } ?? false
                }
            case .dictionary(let values):
                return calls.typeID(object) == calls.dictionary && isSame(dictionary: object, values)
            case .bool, .int, .unsigned, .double, .date:
                return self.value(object, depth: 0) == value
            }
        }

        private func isSame(dictionary object: Object, _ values: [String: PropertyListValue]) -> Bool {
            guard calls.dictionaryCount(object) == values.count else { return false }
            return withEntries(of: object) { keys, objects in
                zip(keys, objects).allSatisfy { key, object in
                    guard let key, let object, calls.typeID(key) == calls.string, let name = string(key) else {
                        return false
                    }
                    // Two spellings of a letter are two keys there, and one for Swift.
                    guard let index = values.index(forKey: name), values.keys[index].utf8.elementsEqual(name.utf8)
                    else {
                        return false
                    }
                    return isSame(object, values.values[index])
                }
            }
        }

        private func isSame(string object: Object, _ text: String) -> Bool {
            // The bytes of a text with a NUL inside are cut off there.
            guard text.utf16.count == calls.stringLength(object) else { return false }
            return withBytes(of: object) { bytes in
                var text = text
                return text.withUTF8 { text in
                    guard let start = text.baseAddress, let other = bytes.baseAddress else { return text.isEmpty }
                    return text.count == bytes.count && memcmp(start, other, text.count) == 0
                }
            } ?? false
        }

        // MARK: Taking over

        private func array(_ object: Object, depth: Int) -> PropertyListValue? {
            guard depth < PropertyListValue.depthLimit else { return nil }
            let count = calls.arrayCount(object)
            var elements: [PropertyListValue] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                guard let element = calls.element(object, index).flatMap({ value($0, depth: depth + 1) }) else {
                    return nil
                }
                elements.append(element)
            }
            return .array(elements)
        }

        private func dictionary(_ object: Object, depth: Int) -> [String: PropertyListValue]? {
            guard depth < PropertyListValue.depthLimit else { return nil }
            let count = calls.dictionaryCount(object)
            return withEntries(of: object) { keys, objects in
                var values = [String: PropertyListValue](minimumCapacity: count)
                for (key, object) in zip(keys, objects) {
                    guard let key, calls.typeID(key) == calls.string, let name = string(key),
                        let value = object.flatMap({ value($0, depth: depth + 1) }),
                        // Texts that are not the same there may be so here.
                        values.updateValue(value, forKey: name) == nil
                    else { return nil }
                }
                return values
            }
        }

        /// Runs a closure with the keys of a dictionary and their values.
        private func withEntries<Found>(
            of object: Object,
            _ body: (Slice<UnsafeMutableBufferPointer<Object?>>, Slice<UnsafeMutableBufferPointer<Object?>>) -> Found
        ) -> Found {
            let count = calls.dictionaryCount(object)
            return withUnsafeTemporaryAllocation(of: Object?.self, capacity: max(count, 1) * 2) { buffer in
                buffer.initialize(repeating: nil)
                if count > 0, let start = buffer.baseAddress { calls.copyEntries(object, start, start + count) }
                return body(buffer[..<count], buffer[count..<count * 2])
            }
        }

        private func string(_ object: Object) -> String? {
            let count = calls.stringLength(object)
            return withBytes(of: object) { bytes in
                let string = String(decoding: bytes, as: UTF8.self)
                // A text with a NUL in it does not end there.
                return string.utf16.count == count ? string : nil
            } ?? nil
        }

        /// Runs a closure with a text in UTF-8, up to a NUL in it; nil for one that cannot be converted.
        private func withBytes<Found>(of object: Object, _ body: (UnsafeRawBufferPointer) -> Found) -> Found? {
            let size = calls.stringLength(object) * 3 + 1
            return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
                guard let start = buffer.baseAddress, calls.copyCString(object, start, size, Self.utf8) != 0 else {
                    return nil
                }
                let count = strlen(start.assumingMemoryBound(to: CChar.self))
                return body(UnsafeRawBufferPointer(start: start, count: count))
            }
        }

        private func number(_ object: Object) -> PropertyListValue? {
            // The types as the headers of numbers have them: whole numbers of 64 bits, others of 64, whole ones of 128.
            let (int64, float64, int128) = (4, 6, 17)
            if calls.isFloat(object) != 0 {
                var double = 0.0
                return calls.number(object, float64, &double) != 0 ? .double(double) : nil
            }
            var int: Int64 = 0
            guard calls.number(object, int64, &int) != 0 else { return nil }
            guard int < 0 else { return .int(int) }
            // Of what is above `Int64.max` that was the lower half, which looks like one below zero.
            var halves: (high: Int64, low: UInt64) = (0, 0)
            guard calls.number(object, int128, &halves) != 0 else { return nil }
            return halves.high == 0 ? .unsigned(halves.low) : .int(int)
        }
    }
#endif
