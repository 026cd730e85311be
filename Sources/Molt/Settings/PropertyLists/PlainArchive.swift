package import Foundation

/// A keyed archive of plain values: strings, numbers, Booleans, dates, data, URLs, arrays and dictionaries.
///
/// It is read without an unarchiver, so a suite's data never instantiates a class, and a damaged archive causes no
/// crash.
package struct PlainArchive {
    private let archive: KeyedObjects
    private let root: Int
    private let byteCount: Int

    /// Finds the archive's root; nil for data that is not a keyed archive.
    package init?(_ data: Data) {
        guard let list = BinaryPropertyList(data), let archive = KeyedObjects(list),
            let properties = list.properties(at: list.root), archive.text(properties["$archiver"]) == "NSKeyedArchiver",
            case .reference(let root) = properties["$top"].flatMap(list.properties)?["root"].flatMap(list.object)
        else { return nil }
        self.archive = archive
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
        guard budget > 0, depth <= PropertyListValue.depthLimit, archive.objects.indices.contains(reference) else {
            return nil
        }
        switch archive.list.object(at: archive.objects[reference]) {
        case .value(let value): return value == .string("$null") ? nil : value
        case .dictionary: return object(reference, depth: depth + 1, &budget, url)
        case .null, .reference, .array, nil: return nil
        }
    }

    private func object(
        _ number: Int,
        depth: Int,
        _ budget: inout Int,
        _ url: (URL) -> PropertyListValue?
    ) -> PropertyListValue? {
        guard let properties = archive.members(of: number) else { return nil }
        switch archive.text(archive.classObject(of: properties)?["$classname"]) {
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
        guard case .dictionary = target(properties["NS.base"]), let number = archive.reference(properties["NS.base"])
        else { return URL(string: text) }
        // A base URL has no base of its own.
        guard let base = archive.members(of: number),
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
        guard case .array(let references) = index.flatMap(archive.list.object) else { return nil }
        var values: [PropertyListValue] = []
        for index in references {
            guard let reference = archive.reference(index), let value = value(of: reference, depth: depth, &budget, url)
            else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    private func scalar(_ index: Int?) -> PropertyListValue? {
        index.flatMap(archive.list.object)?.value
    }

    private func target(_ index: Int?) -> BinaryPropertyList.Object? {
        archive.reference(index).flatMap { archive.list.object(at: archive.objects[$0]) }
    }
}
