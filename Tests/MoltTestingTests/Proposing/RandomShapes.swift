import Foundation
import Generators
import Molt

/// Random shapes of a type before and after a change of its model, and random values of the earlier one.
struct RandomShapes {
    private var random: SeededGenerator
    /// The number in the last value; each occurs once.
    private var number = 1000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    // MARK: Shapes

    private static let names = ["a", "b", "name", "firstName", "lastName", "fullName", "mail", "email", "zip", "city"]
    private static let leaves = ["String", "String", "String", "Int", "Double", "Bool"]

    /// The shape of a type, and the one that it has after a few changes.
    mutating func pair() -> (old: TypeShape, new: TypeShape) {
        let old = shape(depth: 0)
        return (old, changed(old))
    }

    private mutating func shape(depth: Int) -> TypeShape {
        var shape = depth == 0 ? object(depth) : anyShape(depth)
        shape.isOptional = depth > 0 && random.oneIn(3)
        return shape
    }

    private mutating func anyShape(_ depth: Int) -> TypeShape {
        switch random.below(depth > 2 ? 5 : 10) {
        case 0..<5: return TypeShape(random.pick(Self.leaves), .leaf)
        case 5, 6: return object(depth)
        case 7:
            let element = shape(depth: depth + 1)
            return TypeShape("Array<\(element.name)>", .array(element))
        case 8: return cases(depth)
        default: return raw(["open", "done"])
        }
    }

    private mutating func object(_ depth: Int) -> TypeShape {
        var properties: [String: TypeShape] = [:]
        for _ in 0..<2 + random.below(4) { properties[random.pick(Self.names)] = shape(depth: depth + 1) }
        return Self.object(properties, named: "Type\(depth)")
    }

    private mutating func cases(_ depth: Int) -> TypeShape {
        let form = TypeShape.Form.cases(
            ["idle": Self.object([:]), "busy": object(depth + 1)],
            isComplete: true,
            CodeNames.none
        )
        return TypeShape("State", form)
    }

    private func raw(_ cases: [String]) -> TypeShape {
        TypeShape("Status", .raw(TypeShape("String", .leaf), cases: cases, CodeNames.none))
    }

    private static func object(_ properties: [String: TypeShape], named name: String = "") -> TypeShape {
        // There is no initializer for other targets.
        let json = Data(#"{"properties":{}}"#.utf8)
        guard let empty = try? JSONDecoder().decode(TypeShape.self, from: json), case .object(var object) = empty.form
        else { return TypeShape(name, .unknown) }
        object.properties = properties
        return TypeShape(name, .object(object))
    }

    /// The shape after a few changes, which may be any that a developer makes.
    private mutating func changed(_ shape: TypeShape) -> TypeShape {
        var shape = shape
        switch shape.form {
        case .object(var object):
            for name in object.properties.keys.sorted() {
                guard let property = object.properties[name] else { continue }
                switch random.below(12) {
                case 0: object.properties[name] = nil
                case 1:
                    object.properties[name] = nil
                    object.properties[random.pick(Self.names)] = property
                case 2: object.properties[name]?.isOptional.toggle()
                case 3: object.properties[name] = TypeShape("Array<\(property.name)>", .array(property))
                case 4: object.properties[name] = TypeShape(random.pick(Self.leaves), .leaf)
                case 5:
                    object.properties[name] = nil
                    object.properties["inner"] = Self.object([name: property], named: "Inner")
                case 6:
                    if case .array(let element) = property.form { object.properties[name] = element }
                default: object.properties[name] = changed(property)
                }
            }
            if random.oneIn(3) { object.properties[random.pick(Self.names)] = self.shape(depth: 2) }
            shape.form = .object(object)
        case .array(let element): shape.form = .array(changed(element))
        case .cases(var cases, let isComplete, let code):
            for (name, values) in cases.sorted(by: { $0.key < $1.key }) { cases[name] = changed(values) }
            if random.oneIn(4) { cases["working"] = cases.removeValue(forKey: "busy") }
            shape.form = .cases(cases, isComplete: isComplete, code)
        case .raw where random.oneIn(2):
            let cases = [["open"], ["active", "done"], ["closed"], ["done", "open", "waiting"]]
            shape.form = raw(random.pick(cases)).form
        default: break
        }
        return shape
    }

    // MARK: Values

    /// A value of a shape, in which each text and number has a number of its own.
    mutating func value(of shape: TypeShape) -> RecordValue {
        if shape.isOptional, random.oneIn(3) { return .null }
        switch shape.form {
        case .object(let object):
            return .object(
                RecordValue.Object(
                    object.properties.sorted { $0.key < $1.key }.compactMap { name, property in
                        property.isOptional && random.oneIn(3) ? nil : (name, value(of: property))
                    }
                )
            )
        case .array(let element): return .array((0..<random.below(3)).map { _ in value(of: element) })
        case .cases(let cases, _, _):
            let (name, values) = random.pick(cases.sorted { $0.key < $1.key })
            return .object(RecordValue.Object([(name, value(of: values))]))
        case .raw(_, let cases, _): return .string(random.pick(cases ?? [""]))
        default:
            number += 1
            switch shape.name {
            case "Bool": return .bool(random.oneIn(2))
            case "String":
                number += 1
                let two = ["\(number) \(number - 1)", "\(number),\(number - 1)"]
                return .string(random.pick(two + ["\(number)", "\(number)"]))
            default: return .int(number)
            }
        }
    }
}

extension CodeNames {
    /// The names of a type whose code is unknown.
    fileprivate static var none: CodeNames {
        let json = Data(#"{"raw":"String"}"#.utf8)
        guard case .raw(_, _, let names)? = try? JSONDecoder().decode(TypeShape.self, from: json).form else {
            preconditionFailure("This is a shape.")
        }
        return names
    }
}

extension RecordValue {
    /// All numbers of the values in it, of more than one digit.
    var numbers: [String] {
        switch self {
        case .null, .bool: []
        case .number(let number): [number.text]
        case .string(let text): text.split { !$0.isNumber }.map(String.init).filter { $0.count > 1 }
        case .array(let elements): elements.flatMap(\.numbers)
        case .object(let object): object.properties.flatMap(\.value.numbers)
        }
    }

    /// Whether a type of a shape can be read from the value.
    func isReadable(as shape: TypeShape) -> Bool {
        if self == .null { return shape.isOptional }
        switch shape.form {
        case .object(let type):
            guard let object else { return false }
            return type.properties.allSatisfy { name, property in
                object[name].map { $0.isReadable(as: property) } ?? property.isOptional
            }
        case .array(let element): return array.map { $0.allSatisfy { $0.isReadable(as: element) } } ?? false
        case .cases(let cases, _, _):
            guard let property = object?.properties.first, object?.properties.count == 1 else { return false }
            return cases[property.name].map(property.value.isReadable) ?? false
        case .raw(_, let cases, _): return string.map { cases?.contains($0) ?? true } ?? false
        default:
            switch shape.name {
            case "Bool": return bool != nil
            case "String": return string != nil
            default: return number != nil
            }
        }
    }
}
