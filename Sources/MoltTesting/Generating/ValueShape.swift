/// What samples have in common at one place: which values were seen, what may be left out, and what may be null.
struct ValueShape {
    /// A property of the objects at a place.
    struct Property {
        var name: String
        var shape: ValueShape
        /// How many of the objects have it.
        var count: Int
    }

    /// All that was seen here, but null.
    private(set) var values: [GeneratedValue] = []
    /// Whether null was seen here.
    private(set) var canBeNull = false
    /// The properties of the objects that were seen here, in the order in which they were first seen.
    private(set) var properties: [Property] = []
    /// What the arrays that were seen here hold: one shape for all elements, or none when all were empty.
    private var elements: [ValueShape] = []
    private var objectCount = 0

    /// What the elements of arrays have in common; nil when no array had one.
    var element: ValueShape? { elements.first }

    init(_ samples: [GeneratedValue]) {
        for sample in samples { add(sample) }
    }

    private mutating func add(_ sample: GeneratedValue) {
        guard sample != .null else {
            canBeNull = true
            return
        }
        values.append(sample)
        switch sample {
        case .array(let sampleElements):
            for element in sampleElements {
                if elements.isEmpty { elements.append(ValueShape([])) }
                elements[0].add(element)
            }
        case .object(let sampleProperties):
            objectCount += 1
            for property in sampleProperties {
                let known = properties.firstIndex { property.isNamed($0.name) }
                if known == nil { properties.append(Property(name: property.name, shape: ValueShape([]), count: 0)) }
                let index = known ?? properties.count - 1
                properties[index].shape.add(property.value)
                properties[index].count += 1
            }
        default:
            break
        }
    }

    /// What is known of a property by its name.
    func property(_ name: String) -> Property? {
        properties.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether some object that was seen here has no such property.
    func isOptional(_ property: Property) -> Bool {
        property.count < objectCount
    }
}
