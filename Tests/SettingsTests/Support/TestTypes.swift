import Molt

// The types of Defaults' own migration tests, under Molt's names.

enum Period: String, Codable, SettingValue, SettingDictionaryKey {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

/// The same type, stored as its raw value.
enum EnumForm: String, SettingValue, SettingDictionaryKey {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"

    struct Unknown: Error {}

    static var settingCoding: SettingCoding<Self> {
        .rawValue(form: .decoded(CodableEnumForm.self) { try EnumForm($0) })
    }

    init(_ former: CodableEnumForm) throws {
        guard let current = EnumForm(rawValue: former.rawValue) else { throw Unknown() }
        self = current
    }
}

enum CodableEnumForm: String, Codable {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
    case twoWeeks = "2 Weeks"
}

extension SettingCoding where Value: RawRepresentable & SendableMetatype, Value.RawValue: SettingValue {
    /// Stores the raw value of a type that a former type was stored as before.
    static func rawValue(form: DefaultsForm) -> Self {
        SettingCoding(form: form) {
            try Self.rawValue.encode($0)
        } decode: {
            try Self.rawValue.decode($0)
        }
    }
}

/// A type that is stored as a dictionary.
protocol Zone: Hashable, Sendable {
    var id: String { get }
    var name: String { get }

    init(id: String, name: String)
}

extension SettingCoding where Value: Zone {
    static func zone(form: DefaultsForm? = nil) -> Self {
        SettingCoding(form: form) { zone in
            try [String: String].settingCoding.encode(["id": zone.id, "name": zone.name])
        } decode: { stored in
            let object = try [String: String].settingCoding.decode(stored)
            guard let id = object["id"], let name = object["name"] else { return nil }
            return Value(id: id, name: name)
        }
    }
}

/// Stored as a dictionary today, as JSON text of ``CodableTimeZone`` before.
struct TimeZone: Zone, SettingValue {
    static var settingCoding: SettingCoding<Self> { .zone(form: .decoded(CodableTimeZone.self) { $0.toNative() }) }

    var id: String
    var name: String
}

struct CodableTimeZone: Codable, Hashable, SettingValue {
    var id: String
    var name: String

    func toNative() -> TimeZone { TimeZone(id: id, name: name) }
}

/// Codable, and stored as a dictionary nevertheless.
struct ChosenTimeZone: Zone, Codable, SettingValue {
    static var settingCoding: SettingCoding<Self> { .zone() }

    var id: String
    var name: String
}

/// A custom collection, backed by an array and stored as one.
protocol StoredBag: Collection, SettingValue where Element: SettingValue {
    var items: [Element] { get set }

    init(_ elements: [Element])
}

extension StoredBag {
    var startIndex: Int { items.startIndex }
    var endIndex: Int { items.endIndex }

    func index(after index: Int) -> Int { items.index(after: index) }

    subscript(position: Int) -> Element { items[position] }
}

extension SettingCoding where Value: StoredBag {
    static func bag(form: DefaultsForm? = nil) -> Self {
        SettingCoding(form: form) {
            try [Value.Element].settingCoding.encode($0.items)
        } decode: {
            try Value([Value.Element].settingCoding.decode($0))
        }
    }
}

struct MyBag<Element: SettingValue>: StoredBag {
    static var settingCoding: SettingCoding<Self> { .bag(form: .array(of: Element.settingCoding.form)) }

    var items: [Element]

    init(_ elements: [Element]) { items = elements }
}

extension MyBag: Sendable where Element: Sendable {}
extension MyBag: Equatable where Element: Equatable {}

/// Formerly stored as JSON text of an object.
struct CodableBag<Element: SettingValue & Codable>: StoredBag, Codable {
    static var settingCoding: SettingCoding<Self> { .bag() }

    var items: [Element]

    init(_ elements: [Element]) { items = elements }
}

extension CodableBag: Sendable where Element: Sendable {}
extension CodableBag: Equatable where Element: Equatable {}

/// A custom set type, backed by one of Swift's sets and stored as an array.
protocol StoredSet: SetAlgebra, SettingValue where Element: SettingValue & Hashable {
    var store: Set<Element> { get set }

    init(store: Set<Element>)
}

extension StoredSet {
    init() { self.init(store: []) }

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

extension SettingCoding where Value: StoredSet {
    static func storedSet(form: DefaultsForm? = nil) -> Self {
        SettingCoding(form: form) {
            try Set<Value.Element>.settingCoding.encode($0.store)
        } decode: {
            try Value(store: Set<Value.Element>.settingCoding.decode($0))
        }
    }
}

struct MySet<Element: SettingValue & Hashable>: StoredSet {
    static var settingCoding: SettingCoding<Self> { .storedSet(form: .set(of: Element.settingCoding.form)) }

    var store: Set<Element>
}

extension MySet: Sendable where Element: Sendable {}

/// Formerly stored as JSON text of an object.
struct CodableSet<Element: SettingValue & Codable & Hashable>: StoredSet, Codable {
    static var settingCoding: SettingCoding<Self> { .storedSet() }

    var store: Set<Element>
}

extension CodableSet: Sendable where Element: Sendable {}

struct UniqueID: LosslessStringConvertible, Hashable, SettingDictionaryKey {
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
    static let level = Level.settingCoding.form
    static let timeZone = TimeZone.settingCoding.form
}
