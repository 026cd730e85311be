import MoltDefaults

// The types of Defaults' own migration tests, under Molt's names.

enum Period: String, Codable, DefaultsSerializable {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

/// The same type, stored as its raw value.
enum EnumForm: String, DefaultsNativeType {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"

    typealias CodableForm = CodableEnumForm
}

enum CodableEnumForm: String {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
    case twoWeeks = "2 Weeks"
}

extension CodableEnumForm: DefaultsCodableType {
    typealias NativeForm = EnumForm
}

/// Stored as a dictionary today, as JSON text of ``CodableTimeZone`` before.
struct TimeZone: Hashable {
    var id: String
    var name: String
}

extension TimeZone: DefaultsNativeType {
    typealias CodableForm = CodableTimeZone

    static let bridge = TimeZoneBridge()
}

struct CodableTimeZone: Hashable, Codable, DefaultsSerializable {
    var id: String
    var name: String
}

extension CodableTimeZone: DefaultsCodableType {
    func toNative() -> TimeZone {
        TimeZone(id: id, name: name)
    }
}

struct TimeZoneBridge: DefaultsBridge {
    typealias Value = TimeZone
    typealias Serializable = [String: String]

    func serialize(_ value: TimeZone?) -> Serializable? {
        guard let value else { return nil }
        return ["id": value.id, "name": value.name]
    }

    func deserialize(_ object: Serializable?) -> TimeZone? {
        guard let dictionary = object, let id = dictionary["id"], let name = dictionary["name"] else { return nil }
        return TimeZone(id: id, name: name)
    }
}

/// Codable, and stored as a dictionary nevertheless.
struct ChosenTimeZone: Hashable, Codable, DefaultsSerializable {
    var id: String
    var name: String

    static let bridge = ChosenTimeZoneBridge()
}

struct ChosenTimeZoneBridge: DefaultsBridge {
    func serialize(_ value: ChosenTimeZone?) -> [String: String]? {
        value.map { ["id": $0.id, "name": $0.name] }
    }

    func deserialize(_ object: [String: String]?) -> ChosenTimeZone? {
        guard let id = object?["id"], let name = object?["name"] else { return nil }
        return ChosenTimeZone(id: id, name: name)
    }
}

struct MyBag<Element: DefaultsSerializable>: Collection {
    var items: [Element]

    var startIndex: Int { items.startIndex }
    var endIndex: Int { items.endIndex }

    func index(after index: Int) -> Int {
        items.index(after: index)
    }

    subscript(position: Int) -> Element {
        items[position]
    }
}

extension MyBag: DefaultsCollectionSerializable {
    init(_ elements: [Element]) {
        items = elements
    }
}

extension MyBag: Sendable where Element: Sendable {}

/// Formerly stored as JSON text of an object.
struct CodableBag<Element: DefaultsSerializable & Codable>: Collection, Codable {
    var items: [Element]

    var startIndex: Int { items.startIndex }
    var endIndex: Int { items.endIndex }

    func index(after index: Int) -> Int {
        items.index(after: index)
    }

    subscript(position: Int) -> Element {
        items[position]
    }
}

extension CodableBag: DefaultsCollectionSerializable {
    init(_ elements: [Element]) {
        items = elements
    }
}

extension CodableBag: Sendable where Element: Sendable {}

/// A custom set type, backed by one of Swift's sets.
protocol StoredSet: DefaultsSetAlgebraSerializable where Element: Hashable {
    var store: Set<Element> { get set }

    init(store: Set<Element>)
}

extension StoredSet {
    init() {
        self.init(store: [])
    }

    func toArray() -> [Element] {
        Array(store)
    }

    func contains(_ member: Element) -> Bool {
        store.contains(member)
    }

    func union(_ other: Self) -> Self {
        Self(store: store.union(other.store))
    }

    func intersection(_ other: Self) -> Self {
        Self(store: store.intersection(other.store))
    }

    func symmetricDifference(_ other: Self) -> Self {
        Self(store: store.symmetricDifference(other.store))
    }

    @discardableResult
    mutating func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        store.insert(newMember)
    }

    mutating func remove(_ member: Element) -> Element? {
        store.remove(member)
    }

    mutating func update(with newMember: Element) -> Element? {
        store.update(with: newMember)
    }

    mutating func formUnion(_ other: Self) {
        store.formUnion(other.store)
    }

    mutating func formIntersection(_ other: Self) {
        store.formIntersection(other.store)
    }

    mutating func formSymmetricDifference(_ other: Self) {
        store.formSymmetricDifference(other.store)
    }
}

struct MySet<Element: DefaultsSerializable & Hashable>: StoredSet {
    var store: Set<Element>
}

extension MySet: Sendable where Element: Sendable {}

/// Formerly stored as JSON text of an object.
struct CodableSet<Element: DefaultsSerializable & Codable & Hashable>: StoredSet, Codable {
    var store: Set<Element>
}

extension CodableSet: Sendable where Element: Sendable {}

struct UniqueID: LosslessStringConvertible, Hashable, DefaultsDictionaryKey {
    let value: Int64

    var description: String { "\(value)" }

    init(_ value: Int64) {
        self.value = value
    }

    init?(_ description: String) {
        guard let value = Int64(description) else { return nil }
        self.value = value
    }
}

extension EnumForm: DefaultsDictionaryKey {}
extension Period: DefaultsDictionaryKey {}
