internal import MoltCore

/// Draws a value from a sample: the same shape, with other leaves of the same kinds.
struct ValueDrawing {
    var random: SeededGenerator
    /// Whether texts may hold characters that XML cannot, as property lists are written in it.
    var allowsControls = true
    /// The one place that is altered; nil for about half of all places.
    var target: Int?
    /// How many places there were.
    private(set) var places = 0

    init(_ random: SeededGenerator, allowsControls: Bool = true, target: Int? = nil) {
        self.random = random
        self.allowsControls = allowsControls
        self.target = target
    }

    private mutating func alters() -> Bool {
        places += 1
        if let target { return places == target }
        return random.oneIn(2)
    }

    /// Draws a value.
    mutating func draw(_ value: GeneratedValue, _ shape: ValueShape) -> GeneratedValue {
        if shape.canBeNull, alters() {
            guard value == .null, !shape.values.isEmpty else { return .null }
            return random.pick(shape.values)
        }
        switch value {
        case .null, .unusual: return value
        case .array(let elements): return drawArray(elements, shape)
        case .object(let properties): return drawObject(properties, shape)
        default: return alters() ? drawLeaf(value, shape) : value
        }
    }

    private mutating func drawArray(_ sample: [GeneratedValue], _ shape: ValueShape) -> GeneratedValue {
        guard let element = shape.element, !element.values.isEmpty else { return .array(sample) }
        var elements = sample
        if alters() {
            switch random.below(4) {
            case 0: elements = []
            case 1: elements.removeLast(random.below(elements.count + 1))
            case 2: elements.insert(random.pick(element.values), at: random.below(elements.count + 1))
            default: for _ in 0...random.below(12) { elements.append(random.pick(element.values)) }
            }
        }
        return .array(elements.map { draw($0, element) })
    }

    private mutating func drawObject(_ sample: [GeneratedValue.Property], _ shape: ValueShape) -> GeneratedValue {
        var properties: [GeneratedValue.Property] = []
        for property in sample {
            guard let known = shape.property(property.name) else {
                properties.append(property)
                continue
            }
            if shape.isOptional(known), alters() { continue }
            properties.append(.init(name: property.name, value: draw(property.value, known.shape)))
        }
        for known in shape.properties where shape.isOptional(known) {
            guard !sample.contains(where: { $0.isNamed(known.name) }), alters() else { continue }
            let value = known.shape.values.isEmpty ? .null : random.pick(known.shape.values)
            properties.append(.init(name: known.name, value: value))
        }
        return .object(properties)
    }

    // MARK: Leaves

    private mutating func drawLeaf(_ value: GeneratedValue, _ shape: ValueShape) -> GeneratedValue {
        // What another sample has at the same place.
        if random.oneIn(4), !shape.values.isEmpty { return random.pick(shape.values) }
        switch value {
        case .bool: return .bool(random.oneIn(2))
        case .whole(let number): return .whole(random.whole(like: number))
        case .fraction: return .fraction(random.fraction())
        case .string(let string): return .string(random.text(like: string, allowsControls: allowsControls))
        case .date: return .date(random.pick(Self.dates))
        case .data(let bytes): return .data(random.bytes(like: bytes))
        default: return value
        }
    }

    private static let dates: [Int64] = [
        0, 1, -1, 978_307_200, 978_307_199, 1_709_164_800, 2_147_483_647, 2_147_483_648, 4_102_444_800, -2_208_988_800,
    ]
}
