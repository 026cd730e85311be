internal import Foundation
internal import Molt

/// The steps that probably carry the shapes of one version to those of another, as Swift source.
///
/// The steps are derived from names and types, so a developer must review each one. A change without a clear step
/// becomes a comment.
struct StepProposal {
    private(set) var lines: [String] = []
    /// The words of the migration's name.
    private var words: [String] = []

    /// - Parameters:
    ///   - old: The shapes of the earlier version, by the name of a type or ``SampledSetting``.
    ///   - new: Those of the later one.
    init(from old: [String: TypeShape], to new: [String: TypeShape]) {
        var old = old
        for (name, newName) in renamed(old, new) {
            rename(name, newName)
            old[newName] = old.removeValue(forKey: name)
        }
        for name in old.keys.filter({ new[$0] == nil }).sorted() { remove(name) }
        for (name, shape) in new.byName {
            guard let earlier = old[name] else { continue }
            guard let setting = SampledSetting(shapeName: name) else {
                compare(earlier, shape, Place(content: name.debugDescription))
                continue
            }
            let place = Place(content: ".setting(\(setting.arguments))")
            changed(earlier, shape, place, setting.key)
            compare(earlier, shape, place)
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

    // MARK: Types and settings

    private mutating func rename(_ name: String, _ newName: String) {
        guard let setting = SampledSetting(shapeName: name), let new = SampledSetting(shapeName: newName) else {
            step(#".renameType("\#(name)", to: "\#(newName)")"#, "\(name)-becomes-\(newName)")
            return
        }
        step(
            ".renameSetting(\(setting.key.debugDescription), to: \(new.arguments))",
            "\(setting.key)-becomes-\(new.key)"
        )
    }

    private mutating func remove(_ name: String) {
        if let setting = SampledSetting(shapeName: name) {
            comment(".removeSettings(\(setting.arguments)) removes a setting that there is no sample of any more")
        } else {
            comment(#".deleteType("\#(name)") deletes the records of a type that there is no sample of any more"#)
        }
    }

    /// Names that are missing now, with new ones whose shapes have most of their properties.
    private func renamed(_ old: [String: TypeShape], _ new: [String: TypeShape]) -> [(String, String)] {
        var free = new.keys.filter { old[$0] == nil }.sorted()
        return old.keys.filter { new[$0] == nil }.sorted().compactMap { name in
            guard let names = old[name]?.properties?.keys else { return nil }
            let suite = SampledSetting(shapeName: name)?.suite
            let found = free.first { newName in
                guard SampledSetting(shapeName: newName)?.suite == suite, let newNames = new[newName]?.properties?.keys
                else { return false }
                return names.count { newNames.contains($0) } * 2 > max(names.count, newNames.count)
            }
            guard let found else { return nil }
            free.removeAll { $0 == found }
            return (name, found)
        }
    }

    // MARK: Properties

    /// A property in the records of a type or in a setting, or the whole content.
    private struct Place {
        /// The source of a step's first argument.
        var content: String
        /// The source of each part of the path.
        var path: [String] = []

        subscript(_ name: String) -> Place { Place(content: content, path: path + [name.debugDescription]) }
        var elements: Place { Place(content: content, path: path + [".each"]) }

        /// Whether it is the whole content of a setting.
        var isSetting: Bool { path.isEmpty && content.hasPrefix(".") }

        /// The source of the path.
        var code: String { path.count == 1 ? path[0] : "[\(path.joined(separator: ", "))]" }
        /// The source of a step's first arguments.
        var arguments: String { "\(content), \(code)" }

        func list(_ names: [String]) -> String { "[\(names.map { self[$0].code }.joined(separator: ", "))]" }
    }

    private mutating func compare(_ old: TypeShape, _ new: TypeShape, _ place: Place) {
        switch (old.form, new.form) {
        case (.object(let before), .object(let after)): compare(before, after, place)
        case (.array(let before), .array(let after)), (.dictionary(_, let before), .dictionary(_, let after)):
            changed(before, after, place.elements, "elements")
            compare(before, after, place.elements)
        default: break
        }
    }

    private mutating func compare(_ old: ObjectShape, _ new: ObjectShape, _ place: Place) {
        var removed = old.properties.filter { new.properties[$0.key] == nil }
        var added = new.properties.filter { old.properties[$0.key] == nil }
        splits(&removed, &added, place)
        moves(&removed, &added, place)
        for (name, shape) in removed.byName {
            guard let newName = rename(name, shape, removed, added), let current = added[newName] else { continue }
            step(
                ".renameProperty(\(place[name].arguments), to: \(newName.debugDescription))",
                "\(name)-becomes-\(newName)"
            )
            require(current, shape.isOptional, place[newName], newName)
            removed[name] = nil
            added[newName] = nil
        }
        for (name, shape) in added.byName where !shape.isOptional && !new.lenient.contains(name) {
            let value = Self.defaultValue(shape)
            step(
                ".addProperty(\(place[name].arguments), default: \(value ?? "…"))",
                "\(name)-added",
                value == nil ? "a \(shape.text)" : nil
            )
        }
        for name in removed.keys.sorted() {
            comment(".removeProperty(\(place[name].arguments)) deletes values that are not read any more")
        }
        for (name, shape) in new.properties.byName {
            guard let earlier = old.properties[name] else { continue }
            changed(earlier, shape, place[name], name)
            compare(earlier, shape, place[name])
        }
    }

    /// One string for several, or several for one, whose names end with the same word, such as "fullName".
    private mutating func splits(_ removed: inout Properties, _ added: inout Properties, _ place: Place) {
        let remark = "in the order of the parts"
        for (name, shape) in removed.byName where shape.name == "String" {
            let parts = added.strings(like: name)
            guard parts.count > 1, removed.strings(like: name).count == 1 else { continue }
            step(".splitProperty(\(place[name].arguments), into: \(place.list(parts)))", "split-\(name)", remark)
            removed[name] = nil
            for part in parts { added[part] = nil }
        }
        for (name, shape) in added.byName where shape.name == "String" {
            let parts = removed.strings(like: name)
            guard parts.count > 1 else { continue }
            let arguments = "\(place.content), \(place.list(parts)), into: \(place[name].code)"
            step(".joinProperties(\(arguments))", "join-\(name)", remark)
            added[name] = nil
            for part in parts { removed[part] = nil }
        }
    }

    /// Properties that are in a new object now.
    private mutating func moves(_ removed: inout Properties, _ added: inout Properties, _ place: Place) {
        for (name, shape) in added.byName {
            guard let inner = shape.properties else { continue }
            let moved = inner.keys.sorted().filter {
                removed[$0]?.form == inner[$0]?.form && removed[$0]?.name == inner[$0]?.name
            }
            guard !moved.isEmpty else { continue }
            let mayBeMissing = moved.allSatisfy { removed[$0]?.isOptional ?? true }
            if !shape.isOptional, mayBeMissing {
                // Nothing is created if none of the values is there.
                step(".addProperty(\(place[name].arguments), default: [:])", "nest-\(name)", "where it is missing")
            }
            for property in moved {
                step(".moveProperty(\(place[property].arguments), to: \(place[name][property].code))", "nest-\(name)")
            }
            for (property, part) in inner.byName {
                require(part, removed[property]?.isOptional ?? true, place[name][property], property)
            }
            for property in moved { removed[property] = nil }
            added[name] = nil
        }
    }

    /// The new name of a property: a similar one, or the only one that can be.
    private func rename(_ name: String, _ shape: TypeShape, _ removed: Properties, _ added: Properties) -> String? {
        let candidates = added.filter { $0.value.name == shape.name && $0.value.form == shape.form }.keys
        if let near = MigrationReport.UnmatchedName.nearest(to: name, among: candidates) { return near }
        if let same = candidates.sorted().first(where: { $0.lastWord == name.lastWord || $0.hasSuffix(name) }) {
            return same
        }
        let only = removed.count == 1 && candidates.count == 1 ? candidates.first : nil
        return only.flatMap { added[$0]?.isOptional == shape.isOptional ? $0 : nil }
    }

    /// The steps for a property that both versions have.
    private mutating func changed(_ old: TypeShape, _ new: TypeShape, _ place: Place, _ name: String) {
        // An empty array is unwrapped to null.
        var mayBeNull = old.isOptional
        switch (old.form, new.form) {
        case (.array(let element), _) where element.name == new.name && !new.name.isEmpty:
            step(".unwrapProperty(\(place.arguments), from: .array)", "one-\(name)", "fails for more than one")
            mayBeNull = true
        case (.leaf, .array(let element)) where element.name == old.name && old.name == "String":
            // Only the app knows what is in the text.
            comment(".wrapProperty(\(place.arguments), in: .array) if each text becomes one element")
            comment(".splitIntoArray(\(place.arguments), separator: \",\") if the texts have several, with separators")
            if place.isSetting { comment(Self.defaults4) }
        case (.array, .array), (.object, .object): break
        case (_, .array(let element)) where element.name == old.name && !old.name.isEmpty:
            step(".wrapProperty(\(place.arguments), in: .array)", "several-\(name)")
        case (.raw(let value, let cases?, _), .raw(_, let newCases?, _)):
            mapCases(of: value, cases, newCases, place, name)
        case (.dictionary(let key, _), .dictionary(let newKey, _)):
            if key.isKeyOfObjects != newKey.isKeyOfObjects {
                let form = newKey.isKeyOfObjects ? "object" : "alternatingArray"
                step(
                    ".changeDictionary(\(place.arguments), to: .\(form))",
                    "\(name)-keys",
                    "not if the other keys are CodingKeyRepresentable"
                )
            }
            if case .raw(let value, let cases?, _) = key.form, case .raw(_, let newCases?, _) = newKey.form {
                mapCases(of: value, cases, newCases, place, name, part: ", in: .keys")
            }
        case _ where old.name == new.name: break
        case (.leaf, .leaf):
            if let kind = Self.kinds[new.name], let oldKind = Self.kinds[old.name] {
                if kind != oldKind { step(".changeValue(\(place.arguments), to: \(kind))", "\(name)-is-\(new.name)") }
            } else {
                fallthrough
            }
        default:
            if old.form == .leaf || old.form != new.form {
                comment(".transform(…) for \(place.arguments): it changed from \(old.text) to \(new.text)")
                if place.isSetting, old.name == "String" { comment(Self.defaults4) }
            }
        }
        require(new, mayBeNull, place, name)
    }

    /// A default for a property that may be missing or null, and must not be.
    private mutating func require(_ new: TypeShape, _ mayBeNull: Bool, _ place: Place, _ name: String) {
        // Whole contents and elements cannot be added.
        guard mayBeNull, !new.isOptional, place.path.last ?? ".each" != ".each" else { return }
        let value = Self.defaultValue(new) ?? "…"
        step(".addProperty(\(place.arguments), default: \(value))", "\(name)-required", "where it is missing or null")
    }

    private mutating func mapCases(
        of value: TypeShape,
        _ cases: [String],
        _ newCases: [String],
        _ place: Place,
        _ name: String,
        part: String = ""
    ) {
        let (removed, fresh) = (cases.filter { !newCases.contains($0) }, newCases.filter { !cases.contains($0) })
        guard !removed.isEmpty else { return }
        func code(_ text: String) -> String { value.name == "String" ? text.debugDescription : text }
        // Source with a placeholder does not compile.
        let newCase = removed.count == 1 && fresh.count == 1 ? code(fresh[0]) : "…"
        let pairs = removed.map { "\(code($0)): \(newCase)" }
        step(".mapValue(\(place.arguments)\(part), [\(pairs.joined(separator: ", "))])", "\(name)-cases")
    }

    // MARK: Source

    private static let defaults4 = ".defaultsV4ToV5(…), another migration, if Defaults 4 has written the text"

    private static let kinds: [String: String] = [
        "String": ".string", "Bool": ".bool", "Double": ".number", "Float": ".number", "Decimal": ".number",
        "Int": ".integer", "Int8": ".integer", "Int16": ".integer", "Int32": ".integer", "Int64": ".integer",
        "UInt": ".integer", "UInt8": ".integer", "UInt16": ".integer", "UInt32": ".integer", "UInt64": ".integer",
    ]

    /// The source of a value to start with; nil if only the app can know one.
    private static func defaultValue(_ shape: TypeShape) -> String? {
        switch (shape.form, kinds[shape.name]) {
        case (_, ".string"): "\"\""
        case (_, ".bool"): "false"
        case (_, ".integer"): "0"
        case (_, ".number"): "0.0"
        case (.array, _): "[]"
        case (.dictionary, _): "[:]"
        default: nil
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

private typealias Properties = [String: TypeShape]

extension TypeShape {
    fileprivate var properties: Properties? {
        if case .object(let object) = form { object.properties } else { nil }
    }
}

extension TypeShape {
    /// Whether Codable always writes a dictionary with such keys as an object.
    fileprivate var isKeyOfObjects: Bool { ["String", "Int"].contains(name) }
}

extension Properties {
    fileprivate var byName: [(key: String, value: TypeShape)] { sorted { $0.key < $1.key } }

    /// The names of the strings whose names end with the same word.
    fileprivate func strings(like name: String) -> [String] {
        keys.sorted().filter { self[$0]?.name == "String" && $0.lastWord == name.lastWord }
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
