/// What must hold for a property, so that a step changes the record, or the element of an array or dictionary.
struct RecordCondition: Sendable {
    private enum Test {
        /// The value is the one that the map names.
        case equals(ValueMap)
        case exists(Bool)
        case isOf(RecordValue.Kind)
    }

    let path: PropertyPath
    private let test: Test

    private init(_ path: PropertyPath, _ test: Test) {
        (self.path, self.test) = (path, test)
    }

    init(_ path: PropertyPath, equals value: RecordValue, inSettings: Bool) {
        let map = ValueMap([value: value], otherwise: .keep, at: path)
        self.init(path, .equals(inSettings ? map.ofSettings : map))
    }

    init(_ path: PropertyPath, exists: Bool) {
        self.init(path, .exists(exists))
    }

    init(_ path: PropertyPath, is kind: RecordValue.Kind) {
        self.init(path, .isOf(kind))
    }

    /// Whether a record, or an element as a record, fulfils it; its path must not lead through elements.
    @inline(never)
    func holds(for record: Record) -> Bool {
        let holds = record.withValue(at: path) { value in
            switch test {
            case .equals(let map): map.names(value)
            case .exists(let exists): exists != value.elementsEqual("null".utf8)
            case .isOf(let kind): RecordValue.Kind(of: value) == kind
            }
        }
        if let holds { return holds }
        if case .exists(false) = test { return true }
        return false
    }

    /// The condition for each element of the value at a path; nil if it is about no elements, or others.
    func inElements(of outer: PropertyPath) -> RecordCondition? {
        guard let each = path.atFirstEach, each.outer == outer else { return nil }
        return RecordCondition(each.inner, test)
    }

    // MARK: As a declaration

    /// The value that it looks for, as JSON; nil if it looks for none, or for one that is nested too deeply.
    var literal: String? {
        if case .equals(let map) = test { map.values.first } else { nil }
    }

    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: [String] {
        switch test {
        case .equals: ["where"] + path.identity + ["equals", literal ?? ""]
        case .exists(let exists): ["where"] + path.identity + [exists ? "exists" : "is missing"]
        case .isOf(let kind): ["where"] + path.identity + ["is", kind.identity]
        }
    }

    /// The words after the name of the property.
    var predicate: String {
        switch test {
        case .equals: "equals \(literal ?? "a value that is nested too deep")"
        case .exists(let exists): exists ? "exists" : "does not exist"
        case .isOf(let kind): "is \(kind.phrase)"
        }
    }

    /// Why no value can fulfil it, in a sentence.
    var fault: String? {
        if case .equals = test, literal == nil {
            return "The value of the condition on \(path) is nested too deep to be in a record."
        }
        return nil
    }
}
