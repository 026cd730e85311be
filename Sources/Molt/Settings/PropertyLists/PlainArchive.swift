package import Foundation

/// A keyed archive of plain values: strings, numbers, Booleans, dates, data, URLs, arrays and dictionaries.
///
/// It is read without an unarchiver, so a suite's data never instantiates a class, and a damaged archive causes no
/// crash.
package struct PlainArchive {
    private let list: BinaryPropertyList
    /// The archive's object table, as indices into the list.
    private let objects: [Int]
    private let root: Int
    private let byteCount: Int

    /// Finds the archive's root; nil for data that is not a keyed archive.
    package init?(_ data: Data) {
        guard let list = BinaryPropertyList(data), let archive = list.properties(at: list.root),
            archive["$archiver"].flatMap(list.object)?.value == .string("NSKeyedArchiver"),
            let top = archive["$top"].flatMap(list.properties),
            case .reference(let root) = top["root"].flatMap(list.object),
            case .array(let objects) = archive["$objects"].flatMap(list.object)
        else { return nil }
        self.list = list
        self.objects = objects
        self.root = root
        byteCount = data.count
    }

    /// The archived value; nil if the archive is damaged or contains anything but plain values.
    ///
    /// - Parameter url: The value for a URL, which a property list cannot hold; nil if URLs are not allowed.
    package func value(url: (URL) -> PropertyListValue?) -> PropertyListValue? {
        // An object is copied for each reference to it. An archive with more references than bytes contains no settings
        // and could exhaust memory.
        var budget = byteCount
        return value(of: root, depth: 0, &budget, url)
    }

    private func value(
        of reference: Int,
        depth: Int,
        _ budget: inout Int,
        _ url: (URL) -> PropertyListValue?
    ) -> PropertyListValue? {
        budget -= 1
        guard budget > 0, depth <= PropertyListValue.depthLimit, objects.indices.contains(reference) else {
            return nil
        }
        switch list.object(at: objects[reference]) {
        case .value(let value): return value == .string("$null") ? nil : value
        case .dictionary: return object(at: objects[reference], depth: depth + 1, &budget, url)
        case .null, .reference, .array, nil: return nil
        }
    }

    private func object(
        at index: Int,
        depth: Int,
        _ budget: inout Int,
        _ url: (URL) -> PropertyListValue?
    ) -> PropertyListValue? {
        guard let properties = list.properties(at: index) else { return nil }
        switch className(properties) {
        case "NSArray", "NSMutableArray":
            return values(properties["NS.objects"], depth, &budget, url).map { .array($0) }
        case "NSDictionary", "NSMutableDictionary":
            guard let keys = values(properties["NS.keys"], depth, &budget, url),
                let values = values(properties["NS.objects"], depth, &budget, url), keys.count == values.count
            else { return nil }
            let names = keys.compactMap(\.string)
            guard names.count == keys.count else { return nil }
            return .dictionary(Dictionary(zip(names, values)) { $1 })
        case "NSString", "NSMutableString": return scalar(properties["NS.string"])
        case "NSData", "NSMutableData": return scalar(properties["NS.data"])
        case "NSDate":
            guard let seconds = scalar(properties["NS.time"]) else { return nil }
            return (seconds.double ?? seconds.int.map { Double($0) })
                .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case "NSURL": return self.url(properties).flatMap(url)
        default: return nil
        }
    }

    private func url(_ properties: [String: Int]) -> URL? {
        guard let text = target(properties["NS.relative"])?.value?.string else { return nil }
        guard case .dictionary = target(properties["NS.base"]), let index = reference(properties["NS.base"]) else {
            return URL(string: text)
        }
        // A base URL has no base of its own.
        guard let base = list.properties(at: objects[index]),
            let baseText = target(base["NS.relative"])?.value?.string
        else { return nil }
        return URL(string: text, relativeTo: URL(string: baseText))
    }

    private func values(
        _ index: Int?,
        _ depth: Int,
        _ budget: inout Int,
        _ url: (URL) -> PropertyListValue?
    ) -> [PropertyListValue]? {
        guard case .array(let references) = index.flatMap(list.object) else { return nil }
        var values: [PropertyListValue] = []
        for index in references {
            guard let reference = reference(index), let value = value(of: reference, depth: depth, &budget, url) else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    private func className(_ properties: [String: Int]) -> String? {
        guard let index = reference(properties["$class"]) else { return nil }
        return list.properties(at: objects[index])?["$classname"].flatMap(scalar)?.string
    }

    private func scalar(_ index: Int?) -> PropertyListValue? {
        index.flatMap(list.object)?.value
    }

    private func target(_ index: Int?) -> BinaryPropertyList.Object? {
        reference(index).flatMap { list.object(at: objects[$0]) }
    }

    /// The index into the archive's object table that is stored at an index of the list.
    private func reference(_ index: Int?) -> Int? {
        guard case .reference(let reference) = index.flatMap(list.object), objects.indices.contains(reference) else {
            return nil
        }
        return reference
    }
}
