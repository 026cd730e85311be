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

        private func values(of name: String?) -> [String: PropertyListValue]? {
            let ownName = name.flatMap { makeString($0) }
            defer { ownName.map(calls.release) }
            guard let application = name == nil ? calls.currentApplication : ownName else { return nil }
            guard let values = calls.copyValues(nil, application, calls.currentUser, calls.anyHost) else { return [:] }
            defer { calls.release(values) }
            return dictionary(values, depth: -1)
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
            guard count > 0 else { return [:] }
            return withUnsafeTemporaryAllocation(of: Object?.self, capacity: count * 2) { buffer in
                buffer.initialize(repeating: nil)
                guard let start = buffer.baseAddress else { return nil }
                calls.copyEntries(object, start, start + count)
                var values = [String: PropertyListValue](minimumCapacity: count)
                for index in 0..<count {
                    guard let key = buffer[index], calls.typeID(key) == calls.string, let name = string(key),
                        let value = buffer[count + index].flatMap({ value($0, depth: depth + 1) }),
                        // Texts that are not the same there may be so here.
                        values.updateValue(value, forKey: name) == nil
                    else { return nil }
                }
                return values
            }
        }

        private func string(_ object: Object) -> String? {
            let count = calls.stringLength(object)
            return withUnsafeTemporaryAllocation(byteCount: count * 3 + 1, alignment: 1) { buffer in
                guard let start = buffer.baseAddress, calls.copyCString(object, start, buffer.count, Self.utf8) != 0
                else { return nil }
                let string = String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
                // A text with a NUL in it does not end there.
                return string.utf16.count == count ? string : nil
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
