internal import Foundation
package import Molt

/// The steps that probably carry the shapes of one version to those of another, as Swift source.
///
/// The steps are derived from names and types, so a developer must review each one. Each is tried before it is shown; a
/// step that fails, loses a value, or leaves what the new types cannot read becomes a comment, as does a change without
/// a clear step.
package struct StepProposal {
    /// A line of the source.
    private enum Line {
        case step(ProposedStep)
        /// One of two steps to choose from, which is commented out, with what it makes of an example.
        case option(ProposedStep, about: ProposedPlace)
        /// A step that is not proposed as it is, or words.
        case comment(String, about: ProposedPlace?)

        /// The place that a comment or an option is about.
        var place: ProposedPlace? {
            switch self {
            case .step: nil
            case .option(_, let place): place
            case .comment(_, let place): place
            }
        }
    }

    private var lines: [Line] = []
    /// The steps that are proposed, without those that have an ellipsis.
    package var steps: [MigrationStep] {
        lines.compactMap { line in
            if case .step(let step) = line { step.value } else { nil }
        }
    }
    private var trial: ProposalTrial

    /// - Parameters:
    ///   - old: The shapes of the earlier version, by the name of a type or ``SampledSetting``.
    ///   - new: Those of the later one.
    ///   - stores: Stores of the earlier version, by the names of their files; values are made up for what none has.
    ///   - laterStores: Those of the later version, which show the forms of settings.
    ///   - coding: The coders of records.
    package init(
        from old: [String: TypeShape],
        to new: [String: TypeShape],
        stores: [String: StoreFixture] = [:],
        laterStores: [String: StoreFixture] = [:],
        coding: RecordCoding = .standard
    ) {
        var old = old.storedNames(coding)
        let new = new.storedNames(coding)
        trial = ProposalTrial(old, stores)
        for (name, newName) in renamed(old, new) {
            rename(name, newName)
            old[newName] = old.removeValue(forKey: name)
        }
        for name in old.keys.filter({ new[$0] == nil }).sorted() { remove(name) }
        let newForms = SettingForms(laterStores)
        for (name, shape) in new.byName {
            guard let earlier = old[name] else { continue }
            let place = ProposedPlace(shapeName: name)
            if let setting = place.setting {
                changeForm(place, setting, SettingForms(stores), newForms)
                changed(earlier, shape, place, setting.key)
            }
            compare(earlier, shape, place)
        }
        tryOut(new)
    }

    /// A migration to a version; nil if nothing changed.
    package func migration(to version: Int) -> String? {
        guard !lines.isEmpty else { return nil }
        var words: [String] = []
        var last: Int?
        for (index, line) in lines.enumerated() {
            switch line {
            case .comment: continue
            case .option: last = index
            case .step(let step):
                last = index
                if !words.contains(step.word) { words.append(step.word) }
            }
        }
        let name = words.isEmpty ? "version-\(version)" : words.prefix(2).joined(separator: "-and-").inKebabCase
        let body = lines.enumerated().map { index, line in
            switch line {
            case .comment(let text, _): "// " + text
            // Only the last step has no comma.
            case .option(let step, _): "// " + step.line(isLast: index == last)
            case .step(let step): step.line(isLast: index == last)
            }
        }
        return
            (["Migration(", "    to: \(version),", "    \"\(name)\"\(last == nil ? "" : ",")"]
            + body.map { "    " + $0 } + [")"])
            .joined(separator: "\n")
    }

    // MARK: Types and settings

    private mutating func rename(_ name: String, _ newName: String) {
        guard let setting = SampledSetting(shapeName: name), let new = SampledSetting(shapeName: newName) else {
            step(.renameType(name, to: newName), "\(name)-becomes-\(newName)")
            return
        }
        step(.renameSetting(setting, to: new), "\(setting.key)-becomes-\(new.key)")
    }

    private mutating func remove(_ name: String) {
        if let setting = SampledSetting(shapeName: name) {
            comment(".removeSettings(\(setting.arguments)) removes a setting that there is no sample of any more")
        } else {
            comment(
                ".deleteType(\(name.debugDescription)) deletes the records of a type that there is no sample of any more"
            )
        }
    }

    /// The form changes where all stores of a version show another one.
    private mutating func changeForm(
        _ place: ProposedPlace,
        _ setting: SampledSetting,
        _ old: SettingForms,
        _ new: SettingForms
    ) {
        guard let form = old[setting], let newForm = new[setting], form != newForm else { return }
        step(.changeForm(place, to: newForm), "\(setting.key)-form")
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

    private mutating func compare(_ old: TypeShape, _ new: TypeShape, _ place: ProposedPlace) {
        switch (old.form, new.form) {
        case (.object(let before), .object(let after)): compare(before, after, place)
        case (.array(let before), .array(let after)), (.dictionary(_, let before), .dictionary(_, let after)):
            changed(before, after, place.elements, "elements")
            compare(before, after, place.elements)
        case (.cases(let before, _, _), .cases(let after, let isComplete, _)):
            compareCases(before, after, isComplete, place)
        case (.single(let before), .single(let after)): compare(before, after, place)
        default: break
        }
    }

    private mutating func compare(_ old: ObjectShape, _ new: ObjectShape, _ place: ProposedPlace) {
        var removed = old.properties.filter { new.properties[$0.key] == nil }
        var added = new.properties.filter { old.properties[$0.key] == nil }
        splits(&removed, &added, place)
        moves(&removed, &added, place)
        for (name, shape) in removed.byName {
            guard let newName = rename(name, shape, removed, added), let current = added[newName] else { continue }
            step(.rename(place[name], to: newName), "\(name)-becomes-\(newName)")
            require(current, shape.isOptional, place[newName], newName)
            removed[name] = nil
            added[newName] = nil
        }
        for (name, shape) in added.byName where !shape.isOptional && !new.lenient.contains(name) {
            let value = Self.defaultValue(shape)
            step(.add(place[name], default: value), "\(name)-added", value == nil ? "a \(shape.text)" : nil)
        }
        for name in removed.keys.sorted() {
            comment(".removeProperty(\(place[name].arguments)) deletes values that are not read any more", place[name])
        }
        for (name, shape) in new.properties.byName {
            guard let earlier = old.properties[name] else { continue }
            changed(earlier, shape, place[name], name)
            compare(earlier, shape, place[name])
        }
    }

    /// The associated values of each case, and a case that is missing.
    private mutating func compareCases(
        _ old: Properties,
        _ new: Properties,
        _ isComplete: Bool,
        _ place: ProposedPlace
    ) {
        let removed = isComplete ? old.filter { new[$0.key] == nil } : [:]
        let added = new.filter { old[$0.key] == nil }
        for (name, shape) in removed.byName {
            if removed.count == 1, added.count == 1, let (newName, newShape) = added.first, newShape.form == shape.form
            {
                step(.rename(place[name], to: newName), "\(name)-becomes-\(newName)")
            } else {
                comment(".transform(…) for \(place[name].arguments): there is no such case any more", place[name])
            }
        }
        for (name, shape) in new.byName {
            if let earlier = old[name] { compare(earlier, shape, place[name]) }
        }
    }

    /// One string for several, or several for one, whose names end with the same word, such as "fullName".
    private mutating func splits(_ removed: inout Properties, _ added: inout Properties, _ place: ProposedPlace) {
        let remark = "in the order of the parts"
        for (name, shape) in removed.byName where shape.name == "String" {
            let parts = added.strings(like: name)
            guard parts.count > 1, removed.strings(like: name).count == 1 else { continue }
            step(.split(place[name], into: parts.map { place[$0] }), "split-\(name)", remark)
            for part in parts {
                if let shape = added[part] { require(shape, removed[name]?.isOptional ?? false, place[part], part) }
            }
            removed[name] = nil
            for part in parts { added[part] = nil }
        }
        for (name, shape) in added.byName where shape.name == "String" {
            let parts = removed.strings(like: name)
            guard parts.count > 1 else { continue }
            step(.join(parts.map { place[$0] }, into: place[name]), "join-\(name)", remark)
            require(shape, parts.contains { removed[$0]?.isOptional ?? false }, place[name], name)
            added[name] = nil
            for part in parts { removed[part] = nil }
        }
    }

    /// Properties that are in a new object now.
    private mutating func moves(_ removed: inout Properties, _ added: inout Properties, _ place: ProposedPlace) {
        for (name, shape) in added.byName {
            guard let inner = shape.properties else { continue }
            let moved = inner.keys.sorted().filter {
                removed[$0]?.form == inner[$0]?.form && removed[$0]?.name == inner[$0]?.name
            }
            guard !moved.isEmpty else { continue }
            let mayBeMissing = moved.allSatisfy { removed[$0]?.isOptional ?? true }
            if !shape.isOptional, mayBeMissing {
                // Nothing is created if none of the values is there.
                step(
                    .add(place[name], default: Literal(code: "[:]", value: [:])),
                    "nest-\(name)",
                    "where it is missing"
                )
            }
            for property in moved {
                step(.move(place[property], to: place[name][property]), "nest-\(name)")
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
    private mutating func changed(_ old: TypeShape, _ new: TypeShape, _ place: ProposedPlace, _ name: String) {
        // An empty array is unwrapped to null.
        var mayBeNull = old.isOptional
        switch (old.form, new.form) {
        case (.leaf, let form) where old.scalarKind == .string && form != .leaf && trial.hasJSONTexts(at: place):
            step(.parseJSONText(place), "parse-\(name)", "fails for a text that is not JSON of an object or array")
        case (.array(let element), .leaf) where element.name == new.name && new.scalarKind == .string:
            choose(.unwrap(place), .joinArray(place, separator: ","), place, "one-\(name)")
            mayBeNull = true
        case (.array(let element), _) where element.name == new.name && !new.name.isEmpty:
            step(.unwrap(place), "one-\(name)", "fails for more than one")
            mayBeNull = true
        case (.leaf, .array(let element)) where element.name == old.name && old.scalarKind == .string:
            let separator = ExampleText(trial.texts(at: place)).separator
            choose(.wrap(place), .splitIntoArray(place, separator: separator), place, "several-\(name)")
        case (.array, .array), (.object, .object), (.cases, .cases): break
        case (_, .array(let element)) where element.name == old.name && !old.name.isEmpty:
            step(.wrap(place), "several-\(name)")
        case (.raw(let value, let cases?, _), .raw(_, let newCases?, _)):
            mapCases(of: value, cases, newCases, place, name)
        case (.dictionary(let key, _), .dictionary(let newKey, _)):
            if key.isKeyOfObjects != newKey.isKeyOfObjects {
                step(
                    .changeDictionary(place, to: newKey.isKeyOfObjects ? .object : .alternatingArray),
                    "\(name)-keys",
                    "not if the other keys are CodingKeyRepresentable"
                )
            }
            if case .raw(let value, let cases?, _) = key.form, case .raw(_, let newCases?, _) = newKey.form {
                mapCases(of: value, cases, newCases, place, name, inKeys: true)
            }
        case _ where old.name == new.name: break
        case (.leaf, .leaf):
            if let kind = new.scalarKind, let oldKind = old.scalarKind {
                if kind != oldKind {
                    step(.changeValue(place, to: kind), "\(name)-is-\(new.name)", Self.remark(from: oldKind, to: kind))
                }
            } else {
                fallthrough
            }
        default:
            if old.form == .leaf || old.form != new.form {
                let change = "it changed from \(old.text) to \(new.text)"
                comment(".transform(…) for \(place.arguments): \(change)", place)
                if place.isWholeSetting, old.scalarKind == .string { commentOnDefaults4(place) }
            }
        }
        require(new, mayBeNull, place, name)
    }

    /// A default for a property that may be missing or null, and must not be.
    private mutating func require(_ new: TypeShape, _ mayBeNull: Bool, _ place: ProposedPlace, _ name: String) {
        // Whole contents and elements cannot be added.
        guard mayBeNull, !new.isOptional, place.path.last ?? .each != .each else { return }
        step(.add(place, default: Self.defaultValue(new)), "\(name)-required", "where it is missing or null")
    }

    private mutating func mapCases(
        of value: TypeShape,
        _ cases: [String],
        _ newCases: [String],
        _ place: ProposedPlace,
        _ name: String,
        inKeys: Bool = false
    ) {
        let (removed, fresh) = (cases.filter { !newCases.contains($0) }, newCases.filter { !cases.contains($0) })
        guard !removed.isEmpty else { return }
        // Source with a placeholder does not compile.
        let newCase = removed.count == 1 && fresh.count == 1 ? value.literal(ofCase: fresh[0]) : nil
        let pairs = removed.map { (value.literal(ofCase: $0), newCase) }
        step(.mapCases(place, inKeys: inKeys, pairs), "\(name)-cases")
    }

    /// Two steps of which only the app knows the right one, with what each makes of a text like those in stores.
    private mutating func choose(
        _ first: ProposedStep.Change,
        _ second: ProposedStep.Change,
        _ place: ProposedPlace,
        _ word: String
    ) {
        comment("One of these two, depending on what the texts mean:", place)
        let example = ExampleText(trial.texts(at: place))
        for change in [first, second] {
            let step = ProposedStep(change: change, word: word, remark: example.result(of: change))
            lines.append(.option(step, about: place))
        }
        if place.isWholeSetting { commentOnDefaults4(place) }
    }

    private mutating func commentOnDefaults4(_ place: ProposedPlace) {
        comment(".defaultsV4ToV5(…), another migration, if Defaults 4 has written the text", place)
    }

    // MARK: Trying the steps

    /// Makes a comment of each step that fails, loses a value, or leaves what the new types cannot read.
    private mutating func tryOut(_ shapes: [String: TypeShape]) {
        var refused: [Int: String] = [:]
        while true {
            var trial = trial
            for (index, line) in lines.enumerated() where refused[index] == nil {
                guard case .step(let step) = line else { continue }
                if let setting = step.setting, let form = trial.foreign[setting] {
                    refused[index] = form.reason
                } else if step.value != nil, let reason = trial.run(step) {
                    refused[index] = reason
                }
            }
            let mismatches = trial.mismatches(shapes).sorted { $0.key.code < $1.key.code }
            let unexplained = mismatches.filter { place, _ in !isExplained(place, refused) }
            let causes = lines.indices.filter { index in
                guard refused[index] == nil, case .step(let step) = lines[index] else { return false }
                return unexplained.contains { place, _ in step.writes(place) }
            }
            guard let cause = causes.last else {
                refuse(refused)
                for (place, text) in unexplained { comment(".transform(…) for \(place.arguments): \(text)", place) }
                break
            }
            let mismatch = unexplained.first { place, _ in
                if case .step(let step) = lines[cause] { step.writes(place) } else { false }
            }
            refused[cause] = "leaves \(mismatch?.value ?? "another form") at \(mismatch?.key.code ?? "its place")"
        }
        explainForeign(shapes)
    }

    /// Whether a comment, or a step with an ellipsis, is about a place.
    private func isExplained(_ place: ProposedPlace, _ refused: [Int: String]) -> Bool {
        lines.enumerated().contains { index, line in
            switch line {
            case .comment(_, let about?), .option(_, let about): about.contains(place) || place.contains(about)
            case .comment: false
            case .step(let step):
                (refused[index] != nil || step.value == nil) && step.destinations.contains { $0.contains(place) }
            }
        }
    }

    private mutating func refuse(_ refused: [Int: String]) {
        for (index, reason) in refused {
            guard case .step(let step) = lines[index] else { continue }
            lines[index] = .comment("\(step.code) \(reason)", about: step.destinations.first)
        }
    }

    /// Says of each setting in the form of a library how to change it.
    private mutating func explainForeign(_ shapes: [String: TypeShape]) {
        for (setting, form) in trial.foreign.sorted(by: { $0.key.shapeName < $1.key.shapeName }) {
            guard form == .defaults4, let shape = shapes[setting.shapeName] else { continue }
            let place = ProposedPlace(content: .setting(setting))
            let index = lines.firstIndex { $0.place.map(place.contains) ?? false }
            guard let index else { continue }
            lines.removeAll { $0.place.map(place.contains) ?? false }
            let keys = "[.key(\(setting.key.debugDescription), \(shape.defaultsForm))]"
            let code = ".defaultsV4ToV5(to: …, suite: \(setting.suiteCode), keys: \(keys))"
            lines.insert(.comment("\(code), a migration of its own: \(form.reason)", about: place), at: index)
        }
    }

    // MARK: Lines

    /// What to know about a conversion that some values do not allow.
    private static func remark(from old: Record.ScalarKind, to new: Record.ScalarKind) -> String? {
        switch (old, new) {
        case (.string, .integer), (.string, .number): "fails for a text that is no number"
        case (.string, .bool): "fails for a text that is no Boolean"
        case (.number, .integer): "fails for a fraction"
        case (.integer, .bool), (.number, .bool): "fails for numbers other than 0 and 1"
        default: nil
        }
    }

    /// A value to start with; nil if only the app can know one.
    private static func defaultValue(_ shape: TypeShape) -> Literal? {
        switch (shape.form, shape.scalarKind) {
        case (.leaf, .string): Literal(code: "\"\"", value: "")
        case (.leaf, .bool): Literal(code: "false", value: false)
        case (.leaf, .integer): Literal(code: "0", value: 0)
        case (.leaf, .number): Literal(code: "0.0", value: 0.0)
        case (.array, _): Literal(code: "[]", value: [])
        case (.dictionary(let key, _), _) where key.isKeyOfObjects: Literal(code: "[:]", value: [:])
        case (.dictionary, _): Literal(code: "[]", value: [])
        default: nil
        }
    }

    private mutating func step(_ change: ProposedStep.Change, _ word: String, _ remark: String? = nil) {
        lines.append(.step(ProposedStep(change: change, word: word, remark: remark)))
    }

    private mutating func comment(_ text: String, _ place: ProposedPlace? = nil) {
        lines.append(.comment(text, about: place))
    }
}

extension ProposedStep {
    /// The source with a comma and the remark.
    fileprivate func line(isLast: Bool) -> String {
        code + (isLast ? "" : ",") + (remark.map { "  // " + $0 } ?? "")
    }

    /// Whether the step writes a value at a place, or creates an object around it.
    fileprivate func writes(_ place: ProposedPlace) -> Bool {
        if destinations.contains(where: { $0.contains(place) || place.contains($0) }) { return true }
        guard case .move(_, let new) = change else { return false }
        return ProposedPlace(content: new.content, path: new.path.dropLast()).contains(place)
    }
}

extension ProposalTrial.ForeignForm {
    fileprivate var reason: String {
        switch self {
        case .defaults4: "it is JSON in a string, as Defaults 4 writes it"
        case .unreadable: "is in a form that only its app can read, such as an archive: no step can change it"
        }
    }
}

private typealias Properties = [String: TypeShape]

extension TypeShape {
    fileprivate var properties: Properties? {
        if case .object(let object) = form { object.properties } else { nil }
    }

    /// The source of the form in which Defaults 4 has stored values of the type.
    fileprivate var defaultsForm: String {
        switch form {
        case .array(let element): ".array(of: \(element.defaultsForm))"
        case .dictionary(_, let value): ".dictionary(of: \(value.defaultsForm))"
        case .leaf:
            switch name {
            case "Int": ".int"
            case "CGFloat": ".double"
            case "Bool", "Float", "Double", "String", "Date", "Data", "URL", "UUID", "Decimal": ".\(name.lowercased())"
            default: scalarKind == .integer ? ".integer(\(name).self)" : ".codable"
            }
        default: ".codable"
        }
    }
}

extension [String: TypeShape] {
    fileprivate var byName: [(key: String, value: TypeShape)] { sorted { $0.key < $1.key } }

    /// The names of the strings whose names end with the same word.
    fileprivate func strings(like name: String) -> [String] {
        keys.sorted().filter { self[$0]?.name == "String" && self[$0]?.form == .leaf && $0.lastWord == name.lastWord }
    }

    /// The shapes of records with the names of properties as the coders write them.
    fileprivate func storedNames(_ coding: RecordCoding) -> Self {
        guard coding.storedName(of: "aB") != "aB" else { return self }
        return Dictionary(
            uniqueKeysWithValues: map { name, shape in
                (name, SampledSetting(shapeName: name) == nil ? shape.storedNames(coding) : shape)
            }
        )
    }
}

extension TypeShape {
    fileprivate func storedNames(_ coding: RecordCoding) -> TypeShape {
        func stored(_ properties: Properties) -> Properties {
            Dictionary(properties.map { (coding.storedName(of: $0), $1.storedNames(coding)) }) { $1 }
        }
        var shape = self
        switch form {
        case .object(var object):
            object.properties = stored(object.properties)
            object.lenient = Set(object.lenient.map(coding.storedName))
            shape.form = .object(object)
        case .array(let element): shape.form = .array(element.storedNames(coding))
        case .dictionary(let key, let value): shape.form = .dictionary(key: key, value: value.storedNames(coding))
        case .cases(let cases, let isComplete, let code):
            shape.form = .cases(stored(cases), isComplete: isComplete, code)
        case .single(let value): shape.form = .single(value.storedNames(coding))
        case .unknown, .varying, .leaf, .reference, .raw: break
        }
        return shape
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
}
