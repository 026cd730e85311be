internal import Molt

/// A property in the records of a type or in a setting, or the whole content, for a proposed step.
struct ProposedPlace: Hashable {
    enum Content: Hashable {
        case records(String)
        case setting(SampledSetting)
    }

    enum Part: Hashable {
        case name(String)
        case each
    }

    let content: Content
    var path: [Part] = []

    init(content: Content, path: [Part] = []) {
        self.content = content
        self.path = path
    }

    /// - Parameter shapeName: The name of a type, or that of a setting's shape.
    init(shapeName: String, path: [Part] = []) {
        self.init(content: SampledSetting(shapeName: shapeName).map { .setting($0) } ?? .records(shapeName), path: path)
    }

    subscript(_ name: String) -> ProposedPlace { appending(.name(name)) }
    var elements: ProposedPlace { appending(.each) }

    private func appending(_ part: Part) -> ProposedPlace {
        var place = self
        place.path.append(part)
        return place
    }

    /// Whether it is the whole content of a setting.
    var isWholeSetting: Bool { path.isEmpty && setting != nil }

    var setting: SampledSetting? {
        if case .setting(let setting) = content { setting } else { nil }
    }

    /// Whether a path leads to this place or into it.
    func contains(_ other: ProposedPlace) -> Bool {
        content == other.content && other.path.starts(with: path)
    }
}

extension ProposedPlace {
    /// The source of the content, a step's first argument.
    var contentCode: String {
        switch content {
        case .records(let type): type.debugDescription
        case .setting(let setting): ".setting(\(setting.arguments))"
        }
    }

    /// The source of the path.
    var code: String {
        let parts = path.map { part in
            if case .name(let name) = part { name.debugDescription } else { ".each" }
        }
        return parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]"
    }

    /// The source of a step's first arguments.
    var arguments: String { "\(contentCode), \(code)" }

    /// The source of a step's first arguments with several paths of the same content.
    func arguments(_ places: [ProposedPlace]) -> String {
        "\(contentCode), \(Self.list(places))"
    }

    static func list(_ places: [ProposedPlace]) -> String {
        "[\(places.map(\.code).joined(separator: ", "))]"
    }

    /// The name of the type's shape, or of the setting's.
    var shapeName: String {
        switch content {
        case .records(let type): type
        case .setting(let setting): setting.shapeName
        }
    }

    /// The first argument of a step.
    var argument: any MigrationStep.Place {
        switch content {
        case .records(let type): type
        case .setting(let setting): MigrationStep.Settings.setting(setting.key, in: setting.suiteValue)
        }
    }

    /// The path of a step.
    var propertyPath: PropertyPath {
        PropertyPath(
            path.map { part in
                if case .name(let name) = part { PropertyPath(name) } else { .each }
            }
        )
    }
}
