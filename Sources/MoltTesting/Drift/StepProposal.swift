internal import Foundation
internal import MoltCore

/// The steps that probably carry the shapes of one version to those of another, as Swift source.
///
/// The steps are derived from names and types, so a developer must review each one. A change without a clear step
/// becomes a comment.
struct StepProposal {
    private(set) var lines: [String] = []
    /// The words of the migration's name.
    private var words: [String] = []

    /// - Parameters:
    ///   - old: The shapes of the earlier version, by type name.
    ///   - new: Those of the later one.
    init(from old: [String: TypeShape], to new: [String: TypeShape]) {
        var old = old
        for (name, newName) in renamedTypes(old, new) {
            step(#".renameType("\#(name)", to: "\#(newName)")"#, "\(name)-becomes-\(newName)")
            old[newName] = old.removeValue(forKey: name)
        }
        for name in old.keys.filter({ new[$0] == nil }).sorted() {
            comment(#".deleteType("\#(name)") deletes the records of a type that there is no sample of any more"#)
        }
        for (name, shape) in new.sorted(by: { $0.key < $1.key }) {
            if let earlier = old[name] { compare(earlier, shape, Place(type: name)) }
        }
    }

    /// A migration to a version; nil if nothing changed.
    func migration(to version: Int) -> String? {
        guard !lines.isEmpty else { return nil }
        let name = words.isEmpty ? "version-\(version)" : words.prefix(2).joined(separator: "-and-").inKebabCase
        // Only the last step has no comma.
        let last = lines.lastIndex { !$0.hasPrefix("//") }
        let body = lines.enumerated().map { index, line in
            line.hasPrefix("//") || index == last ? line : line.replacingComma
        }
        let comma = last == nil ? "" : ","
        return (["Migration(", "    to: \(version),", "    \"\(name)\"\(comma)"] + body.map { "    " + $0 } + [")"])
            .joined(separator: "\n")
    }

    // MARK: Types

    /// Types that are missing now, with new ones that have most of their properties.
    private func renamedTypes(_ old: [String: TypeShape], _ new: [String: TypeShape]) -> [(String, String)] {
        var free = new.keys.filter { old[$0] == nil }.sorted()
        return old.keys.filter { new[$0] == nil }.sorted().compactMap { name in
            guard let names = old[name]?.properties?.keys else { return nil }
            let found = free.first { newName in
                guard let newNames = new[newName]?.properties?.keys else { return false }
                return names.count { newNames.contains($0) } * 2 > max(names.count, newNames.count)
            }
            guard let found else { return nil }
            free.removeAll { $0 == found }
            return (name, found)
        }
    }

    // MARK: Properties

    /// An object in the records of a type.
    private struct Place {
        var type: String
        var path: [String] = []

        func code(_ names: [String]) -> String {
            let path = path + names.map { $0.debugDescription }
            return path.count == 1 ? path[0] : "[\(path.joined(separator: ", "))]"
        }
    }

    private mutating func compare(_ old: TypeShape, _ new: TypeShape, _ place: Place) {
        switch (old.form, new.form) {
        case (.object(let before), .object(let after)): compare(before, after, place)
        case (.array(let before), .array(let after)), (.dictionary(_, let before), .dictionary(_, let after)):
            let elements = Place(type: place.type, path: place.path + [".each"])
            changed(before, after, "\"\(place.type)\", " + elements.code([]), "elements")
            compare(before, after, elements)
        default: break
        }
    }

    private mutating func compare(_ old: ObjectShape, _ new: ObjectShape, _ place: Place) {
        var gone = old.properties.filter { new.properties[$0.key] == nil }
        var added = new.properties.filter { old.properties[$0.key] == nil }
        let start = "\"\(place.type)\", "
        splits(&gone, &added, start, place)
        moves(&gone, &added, start, place)
        for (name, shape) in gone.sorted(by: { $0.key < $1.key }) {
            guard let newName = rename(name, shape, gone, added) else { continue }
            let code = place.code([name])
            step(".renameProperty(\(start)\(code), to: \(newName.debugDescription))", "\(name)-becomes-\(newName)")
            if let current = added[newName] {
                require(current, shape.isOptional, start + place.code([newName]), newName)
            }
            gone[name] = nil
            added[newName] = nil
        }
        for (name, shape) in added.sorted(by: { $0.key < $1.key })
        where !shape.isOptional && !new.lenient.contains(name) {
            let value = Self.defaultValue(shape)
            step(
                ".addProperty(\(start)\(place.code([name])), default: \(value.code))",
                "\(name)-added",
                value.isCertain ? nil : "a \(shape.text)"
            )
        }
        for name in gone.keys.sorted() {
            comment(".removeProperty(\(start)\(place.code([name]))) deletes values that are not read any more")
        }
        for (name, shape) in new.properties.sorted(by: { $0.key < $1.key }) {
            if let earlier = old.properties[name] {
                changed(earlier, shape, start + place.code([name]), name)
                compare(earlier, shape, Place(type: place.type, path: place.path + ["\"\(name)\""]))
            }
        }
    }

    /// One string for several, or several for one, whose names end with the same word, such as "fullName".
    private mutating func splits(
        _ gone: inout [String: TypeShape],
        _ added: inout [String: TypeShape],
        _ start: String,
        _ place: Place
    ) {
        for name in gone.keys.sorted() where gone[name]?.name == "String" {
            let parts = added.filter { $0.value.name == "String" && $0.key.lastWord == name.lastWord }.keys.sorted()
            guard parts.count > 1, Self.alike(name, gone).count == 1 else { continue }
            let paths = parts.map { place.code([$0]) }.joined(separator: ", ")
            step(
                ".splitProperty(\(start)\(place.code([name])), into: [\(paths)])",
                "split-\(name)",
                "in the order of the parts"
            )
            gone[name] = nil
            for part in parts { added[part] = nil }
        }
        for name in added.keys.sorted() where added[name]?.name == "String" {
            let parts = Self.alike(name, gone)
            guard parts.count > 1 else { continue }
            let paths = parts.map { place.code([$0]) }.joined(separator: ", ")
            step(
                ".joinProperties(\(start)[\(paths)], into: \(place.code([name])))",
                "join-\(name)",
                "in the order of the parts"
            )
            added[name] = nil
            for part in parts { gone[part] = nil }
        }
    }

    private static func alike(_ name: String, _ properties: [String: TypeShape]) -> [String] {
        properties.filter { $0.value.name == "String" && $0.key.lastWord == name.lastWord }.keys.sorted()
    }

    /// Properties that are in a new object now.
    private mutating func moves(
        _ gone: inout [String: TypeShape],
        _ added: inout [String: TypeShape],
        _ start: String,
        _ place: Place
    ) {
        for (name, shape) in added.sorted(by: { $0.key < $1.key }) {
            guard let inner = shape.properties else { continue }
            let moved = inner.keys.sorted().filter {
                gone[$0]?.form == inner[$0]?.form && gone[$0]?.name == inner[$0]?.name
            }
            guard !moved.isEmpty else { continue }
            for property in moved {
                step(
                    ".moveProperty(\(start)\(place.code([property])), to: \(place.code([name, property])))",
                    "nest-\(name)"
                )
            }
            for (property, part) in inner.sorted(by: { $0.key < $1.key }) {
                require(part, gone[property]?.isOptional ?? true, start + place.code([name, property]), property)
            }
            for property in moved { gone[property] = nil }
            added[name] = nil
        }
    }

    /// The new name of a property: a similar one, or the only one that can be.
    private func rename(
        _ name: String,
        _ shape: TypeShape,
        _ gone: [String: TypeShape],
        _ added: [String: TypeShape]
    ) -> String? {
        let candidates = added.filter { $0.value.name == shape.name && $0.value.form == shape.form }.keys
        if let near = UnmatchedName.nearest(to: name, among: candidates) { return near }
        if let same = candidates.sorted().first(where: { $0.lastWord == name.lastWord || $0.hasSuffix(name) }) {
            return same
        }
        let only = gone.count == 1 && candidates.count == 1 ? candidates.first : nil
        return only.flatMap { added[$0]?.isOptional == shape.isOptional ? $0 : nil }
    }

    /// The steps for a property that both versions have.
    private mutating func changed(_ old: TypeShape, _ new: TypeShape, _ property: String, _ name: String) {
        // An empty array is unwrapped to null.
        var mayBeNull = old.isOptional
        switch (old.form, new.form) {
        case (.array(let element), _) where element.name == new.name && !new.name.isEmpty:
            step(".unwrapProperty(\(property), from: .array)", "one-\(name)", "fails for more than one")
            mayBeNull = true
        case (_, .array(let element)) where element.name == old.name && !old.name.isEmpty:
            step(".wrapProperty(\(property), in: .array)", "several-\(name)")
        case (.leaf, .leaf) where old.name != new.name:
            if let kind = Self.kinds[new.name], Self.kinds[old.name] != nil {
                if Self.kinds[old.name] != kind {
                    step(".changeValue(\(property), to: \(kind))", "\(name)-is-\(new.name)")
                }
            } else {
                comment(".transform(…) for \(property): it changed from \(old.text) to \(new.text)")
            }
        case (.raw(let value, let cases?, _), .raw(_, let newCases?, _)):
            mapCases(of: value, cases, newCases, property, name)
        case (.array, .array), (.dictionary, .dictionary): break
        default:
            if old.name != new.name, old.properties == nil || new.properties == nil, old.form != new.form {
                comment(".transform(…) for \(property): it changed from \(old.text) to \(new.text)")
            }
        }
        require(new, mayBeNull, property, name)
    }

    /// A default for a property that may be missing or null, and must not be.
    private mutating func require(_ new: TypeShape, _ mayBeNull: Bool, _ property: String, _ name: String) {
        guard mayBeNull, !new.isOptional else { return }
        let value = Self.defaultValue(new)
        step(".addProperty(\(property), default: \(value.code))", "\(name)-required", "where it is missing or null")
    }

    private mutating func mapCases(
        of value: TypeShape,
        _ cases: [String],
        _ newCases: [String],
        _ property: String,
        _ name: String
    ) {
        let (gone, fresh) = (cases.filter { !newCases.contains($0) }, newCases.filter { !cases.contains($0) })
        guard !gone.isEmpty else { return }
        func code(_ text: String) -> String { value.name == "String" ? text.debugDescription : text }
        // Source with a placeholder does not compile.
        let newCase = gone.count == 1 && fresh.count == 1 ? code(fresh[0]) : "…"
        let pairs = gone.map { "\(code($0)): \(newCase)" }
        step(".mapValue(\(property), [\(pairs.joined(separator: ", "))])", "\(name)-cases")
    }

    // MARK: Source

    private static let kinds: [String: String] = [
        "String": ".string", "Bool": ".bool", "Double": ".number", "Float": ".number", "Decimal": ".number",
        "Int": ".integer", "Int8": ".integer", "Int16": ".integer", "Int32": ".integer", "Int64": ".integer",
        "UInt": ".integer", "UInt8": ".integer", "UInt16": ".integer", "UInt32": ".integer", "UInt64": ".integer",
    ]

    private static func defaultValue(_ shape: TypeShape) -> (code: String, isCertain: Bool) {
        switch (shape.form, kinds[shape.name]) {
        case (_, ".string"): ("\"\"", true)
        case (_, ".bool"): ("false", true)
        case (_, let kind?): (kind == ".integer" ? "0" : "0.0", true)
        case (.array, _): ("[]", true)
        case (.dictionary, _): ("[:]", true)
        default: ("…", false)
        }
    }

    private mutating func step(_ code: String, _ word: String, _ remark: String? = nil) {
        lines.append(code + (remark.map { "  // " + $0 } ?? ""))
        if !words.contains(word) { words.append(word) }
    }

    private mutating func comment(_ text: String) {
        lines.append("// " + text)
    }
}

extension TypeShape {
    fileprivate var properties: [String: TypeShape]? {
        if case .object(let object) = form { object.properties } else { nil }
    }
}

extension String {
    /// The last word of a name in camel case, in lower case: "name" of "fullName".
    fileprivate var lastWord: String {
        let start = lastIndex(where: \.isUppercase) ?? startIndex
        return self[start...].lowercased()
    }

    /// A name in the form of a migration's name: "full-name" for "fullName".
    fileprivate var inKebabCase: String {
        var text = ""
        for letter in self {
            if letter.isUppercase, let last = text.last, last != "-" { text += "-" }
            text += letter.lowercased()
        }
        return text
    }

    /// A line of source with a comma before its remark.
    fileprivate var replacingComma: String {
        guard let remark = range(of: "  // ") else { return self + "," }
        return self[..<remark.lowerBound] + "," + self[remark.lowerBound...]
    }
}
