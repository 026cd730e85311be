/// The samples of one subject, taken apart.
struct SampleSet {
    let subject: StoreSamples.Subject
    let values: [GeneratedValue]
    let shape: ValueShape
    private let decodes: (@Sendable (StoreFixture.Content) -> Bool)?

    /// - Throws: ``TestingError`` with the code `unsuitable`.
    init(_ samples: StoreSamples) throws {
        subject = samples.subject
        decodes = samples.isDecodable
        let name: String
        switch subject {
        case .suite(let suite):
            name = "of \(suite)"
            values = samples.settings.map { GeneratedValue($0) }
        case .type(let typeName):
            name = "of the type \(typeName)"
            values = try samples.contents.enumerated().map { index, content in
                do {
                    return try GeneratedValue(content)
                } catch {
                    throw TestingError(.unsuitable, "Sample \(index + 1) \(name) is not JSON text.", underlying: error)
                }
            }
            for (index, content) in samples.contents.enumerated() where samples.isDecodable?(content) == false {
                throw TestingError(
                    .unsuitable,
                    """
                    Sample \(index + 1) \(name) cannot be decoded as the type that was given for it: \(content.text).
                    Give the type that such records were written as, and the coders.
                    """
                )
            }
        }
        guard !values.isEmpty else {
            throw TestingError(.unsuitable, "There is no sample \(name). Give at least one.")
        }
        shape = ValueShape(values)
    }

    /// Whether a value may be one of these: it can be decoded, when that can be known.
    func accepts(_ value: GeneratedValue) -> Bool {
        decodes?(value.content) ?? true
    }

    /// Draws a value.
    func draw(using random: inout SeededGenerator, allowsControls: Bool = true) -> GeneratedValue {
        let sample = random.pick(values)
        if random.oneIn(8) { return sample }
        for _ in 0..<3 {
            let value = draw(sample, nil, &random, allowsControls).value
            if accepts(value) { return value }
        }
        // Some place takes few values, as a number of 8 bits or the name of a case: one place at a time, then.
        var value = sample
        for _ in 0..<12 {
            let places = draw(value, 0, &random, allowsControls).places
            guard places > 0 else { break }
            let altered = draw(value, 1 + random.below(places), &random, allowsControls).value
            if accepts(altered) { value = altered }
        }
        return value
    }

    private func draw(
        _ sample: GeneratedValue,
        _ target: Int?,
        _ random: inout SeededGenerator,
        _ allowsControls: Bool
    ) -> (value: GeneratedValue, places: Int) {
        var drawing = ValueDrawing(random, allowsControls: allowsControls, target: target)
        let value = drawing.draw(sample, shape)
        random = drawing.random
        return (value, drawing.places)
    }
}

extension StoreFixture.Content {
    /// The content as text, or how many bytes of data it is.
    var text: String {
        isData ? "\(bytes.count) bytes of data" : String(decoding: bytes, as: UTF8.self)
    }
}
