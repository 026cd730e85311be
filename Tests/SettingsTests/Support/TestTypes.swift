import Molt

// The types of Defaults' own migration tests, under Molt's names.

enum Period: String, Codable, DefaultsSerializable, DefaultsDictionaryKey {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

/// The same type, stored as its raw value.
enum EnumForm: String, DefaultsNativeType, DefaultsDictionaryKey {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"

    typealias CodableForm = CodableEnumForm
}

enum CodableEnumForm: String, DefaultsCodableType {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
    case twoWeeks = "2 Weeks"

    typealias NativeForm = EnumForm
}

/// A type that ``ZoneBridge`` stores as a dictionary.
protocol Zone: Hashable, Sendable {
    var id: String { get }
    var name: String { get }

    init(id: String, name: String)
}

struct ZoneBridge<Value: Zone>: DefaultsBridge {
    func serialize(_ value: Value?) -> [String: String]? {
        value.map { ["id": $0.id, "name": $0.name] }
    }

    func deserialize(_ object: [String: String]?) -> Value? {
        guard let id = object?["id"], let name = object?["name"] else { return nil }
        return Value(id: id, name: name)
    }
}

/// Stored as a dictionary today, as JSON text of ``CodableTimeZone`` before.
struct TimeZone: Zone, DefaultsNativeType {
    typealias CodableForm = CodableTimeZone

    static let bridge = ZoneBridge<TimeZone>()

    var id: String
    var name: String
}

struct CodableTimeZone: Hashable, DefaultsSerializable, DefaultsCodableType {
    var id: String
    var name: String

    func toNative() -> TimeZone { TimeZone(id: id, name: name) }
}

/// Codable, and stored as a dictionary nevertheless.
struct ChosenTimeZone: Zone, Codable, DefaultsSerializable {
    static let bridge = ZoneBridge<ChosenTimeZone>()

    var id: String
    var name: String
}

/// A custom collection, backed by an array.
protocol StoredBag: DefaultsCollectionSerializable {
    var items: [Element] { get set }
}

extension StoredBag {
    var startIndex: Int { items.startIndex }
    var endIndex: Int { items.endIndex }

    func index(after index: Int) -> Int { items.index(after: index) }

    subscript(position: Int) -> Element { items[position] }
}

struct MyBag<Element: DefaultsSerializable>: StoredBag {
    var items: [Element]

    init(_ elements: [Element]) { items = elements }
}

extension MyBag: Sendable where Element: Sendable {}
extension MyBag: Equatable where Element: Equatable {}

/// Formerly stored as JSON text of an object.
struct CodableBag<Element: DefaultsSerializable & Codable>: StoredBag, Codable {
    var items: [Element]

    init(_ elements: [Element]) { items = elements }
}

extension CodableBag: Sendable where Element: Sendable {}
extension CodableBag: Equatable where Element: Equatable {}

/// A custom set type, backed by one of Swift's sets.
protocol StoredSet: DefaultsSetAlgebraSerializable where Element: Hashable {
    var store: Set<Element> { get set }

    init(store: Set<Element>)
}

extension StoredSet {
    init() { self.init(store: []) }

    func toArray() -> [Element] { Array(store) }
    func contains(_ member: Element) -> Bool { store.contains(member) }
    func union(_ other: Self) -> Self { Self(store: store.union(other.store)) }
    func intersection(_ other: Self) -> Self { Self(store: store.intersection(other.store)) }
    func symmetricDifference(_ other: Self) -> Self { Self(store: store.symmetricDifference(other.store)) }

    @discardableResult
    mutating func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        store.insert(newMember)
    }

    mutating func remove(_ member: Element) -> Element? { store.remove(member) }
    mutating func update(with newMember: Element) -> Element? { store.update(with: newMember) }
    mutating func formUnion(_ other: Self) { store.formUnion(other.store) }
    mutating func formIntersection(_ other: Self) { store.formIntersection(other.store) }
    mutating func formSymmetricDifference(_ other: Self) { store.formSymmetricDifference(other.store) }
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

    init(_ value: Int64) { self.value = value }

    init?(_ description: String) {
        guard let value = Int64(description) else { return nil }
        self.value = value
    }
}

/// The forms of these types.
extension DefaultsForm {
    static let period = rawValue(EnumForm.self)
    static let level = Level.defaultsForm
    static let timeZone = TimeZone.defaultsForm
}
