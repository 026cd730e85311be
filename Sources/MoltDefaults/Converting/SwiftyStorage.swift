/// How SwiftyUserDefaults stores values of a form.
enum SwiftyStorage {
    /// Natively, in every release: scalars and raw values, and arrays of raw values.
    case plain
    /// Natively until 4.0, since 5.0 as data of JSON.
    case list
    /// As data that nothing is known of.
    case data
    /// As a keyed archive, or the path of a file.
    case url
    /// As data of JSON.
    case json
    /// As one keyed archive of objects of the app.
    case archives
    /// As whatever it is: dictionaries, and types with a bridge of their own.
    case containers
}

extension DefaultsForm {
    /// How SwiftyUserDefaults stores such values.
    var swiftyStorage: SwiftyStorage {
        switch kind {
        case .bool, .integer, .float, .double, .string, .date, .rawValue: .plain
        case .data, .keyedArchive: .data
        case .url: .url
        case .codable, .uuid, .decimal, .range: .json
        case .dictionary, .native: .containers
        case .array(let element), .set(let element): element.swiftyListStorage
        }
    }

    private var swiftyListStorage: SwiftyStorage {
        switch (kind, swiftyStorage) {
        case (.keyedArchive, _): .archives
        case (.rawValue, _): .plain
        case (_, .plain), (_, .data): .list
        case (_, .list): .containers
        case (_, let storage): storage
        }
    }
}
