extension ConflictPolicy<Record> {
    /// The record with the greater value of a property stays.
    ///
    /// Numbers are compared exactly, with up to 38 digits and exponents from -36 to 36. Strings are compared as dates
    /// of ISO 8601, with or without a time. A record without the property, or with null, is older than any other. If
    /// both are equally new, the content that comes last in the order of its bytes stays, so that the order of records
    /// does not matter; its properties are sorted by name for this, and white space is left out.
    ///
    /// The upgrade stops with the code `keyExists` if a value is neither such a number nor a date, or if one record has
    /// a number and the other one a date.
    ///
    /// - Important: The content of the other record is lost.
    public static func newest(by path: PropertyPath) -> Self { Self(rule: .newest(by: path)) }

    /// A closure merges the second record into the first one, which stays; the second one is then removed.
    ///
    /// ```swift
    /// .merge { record, other in
    ///     record["visits"] = .int(try record.int("visits") + other.int("visits"))
    /// }
    /// ```
    ///
    /// The first record is the one that would stay with ``keep``, and already has the later expiry of the two. The
    /// closure may change its content and its expiry. It runs for each record after the first one, also for one that is
    /// equal. It must give the same result whenever it runs. Increase the revision when you edit the closure; see
    /// ``MigrationStep/transform(_:revision:_:)``.
    ///
    /// - Important: Whatever the closure does not take over from the second record is lost.
    public static func merge(
        revision: Int = 1,
        _ body: @escaping @Sendable (_ record: inout Record, _ other: Record) throws -> Void
    ) -> Self {
        Self(rule: .merge(revision: revision, body))
    }
}

extension ConflictPolicy<Record> {
    /// What became of two records with one key.
    enum Resolution {
        /// They are equal, so nothing is lost with the second one.
        case equal
        case first
        case second
        /// A closure has merged the second one into the first one.
        case merged
        /// The upgrade must stop; with the reason in a sentence, unless the policy is to stop.
        case undecided(String?)

        /// Whether content may be lost.
        var isLossy: Bool {
            switch self {
            case .equal, .undecided: false
            case .first, .second, .merged: true
            }
        }
    }

    var identity: [String] {
        switch rule {
        case .fail, .newestSuite, .newestValue, .mergeImported: ["stop"]
        case .keep: ["keep"]
        case .replace: ["replace"]
        case .newest(let path): ["newest"] + path.identity
        case .merge(let revision, _): ["merge", String(revision)]
        }
    }

    /// Whether the content of a record may be lost.
    var isLossy: Bool { if case .fail = rule { false } else { true } }

    /// The property by which records are compared.
    var path: PropertyPath? { if case .newest(let path) = rule { path } else { nil } }

    /// Why there can be no such policy, in a sentence.
    var fault: String? {
        guard let path, path.count == 0 || path.hasEach else { return nil }
        return "`newest(by:)` needs the path of one property, without `.each`."
    }

    /// Makes one record of two of one type; it expires with the last of them.
    ///
    /// - Parameter record: The first record; then the one that stays.
    /// - Throws: The error of a closure.
    func merge(_ other: Record, into record: inout Record) throws -> Resolution {
        var merged = record
        var outcome = Resolution.merged
        if case .merge(_, let body) = rule {
            merged.extend(to: other)
            try body(&merged, other)
            try Self.check(merged, of: record, and: other)
        } else {
            outcome = try choose(record, other)
            switch outcome {
            case .undecided: return outcome
            case .second:
                merged = other
                merged.extend(to: record)
            case .equal, .first, .merged: merged.extend(to: other)
            }
        }
        record = merged
        return outcome
    }

    private func choose(_ first: Record, _ second: Record) throws -> Resolution {
        let (content, other) = try (first.comparable(), second.comparable())
        if first.isData == second.isData, content == other { return .equal }
        switch rule {
        case .fail, .newestSuite, .newestValue, .mergeImported: return .undecided(nil)
        case .keep, .merge: return .first
        case .replace: return .second
        case .newest(let path): return try newest(of: first, content, second, other, by: path)
        }
    }

    private func newest(
        of first: Record,
        _ content: [UInt8],
        _ second: Record,
        _ other: [UInt8],
        by path: PropertyPath
    ) throws -> Resolution {
        switch first.compare(to: second, by: path) {
        case .earlier: return .second
        case .later: return .first
        case .impossible:
            return .undecided(
                "The values of \"\(path)\" cannot be compared: they are neither two dates of ISO 8601 nor two numbers "
                    + "of at most 38 digits with exponents from -36 to 36."
            )
        case .same: break
        }
        if first.isData != second.isData { return first.isData ? .second : .first }
        return content.lexicographicallyPrecedes(other) ? .second : .first
    }

    private static func check(_ merged: Record, of first: Record, and second: Record) throws {
        if let failure = merged.failure ?? second.failure { throw failure }
        let keepsName = ExactName.isSame(merged.key, first.key) && ExactName.isSame(merged.typeName, first.typeName)
        guard merged.isDropped || !keepsName else { return }
        // Without the key, which may be the value of a property.
        throw MoltError(
            .stepFailed,
            "The closure of `onConflict` has changed the record's key, type or existence. It may only change the "
                + "content and the expiry."
        )
    }
}

extension Record {
    /// Makes the record expire with another one, if that exists longer.
    mutating func extend(to other: Record) {
        if expiresBefore(other) { expiration = other.expiration }
    }

    /// Whether another record exists longer.
    private func expiresBefore(_ other: Record) -> Bool {
        guard let expirationSeconds else { return false }
        return other.expirationSeconds.map { $0 > expirationSeconds } ?? true
    }

    /// The content, without white space and with the properties of objects in the order of their names.
    fileprivate func comparable() throws -> [UInt8] {
        if isData { return withContent { Array($0) } }
        return try content().sorted.json()
    }

    fileprivate enum Comparison {
        case earlier, later, same, impossible
    }

    /// Compares the value of a property with that of another record.
    fileprivate func compare(to other: Record, by path: PropertyPath) -> Comparison {
        guard let moment = Moment(self[path]), let otherMoment = Moment(other[path]) else { return .impossible }
        switch (moment, otherMoment) {
        case (.missing, .missing): return .same
        case (.missing, _): return .earlier
        case (_, .missing): return .later
        case (.number(let number), .number(let other)), (.date(let number), .date(let other)):
            guard let isEarlier = number.isLess(than: other), let isLater = other.isLess(than: number) else {
                return .impossible
            }
            return isEarlier ? .earlier : isLater ? .later : .same
        default: return .impossible
        }
    }
}

/// A value by which records are compared.
private enum Moment {
    case missing
    case number(DecimalNumber)
    /// Seconds since 1970.
    case date(DecimalNumber)

    /// Returns nil for a value that can be compared with no other.
    init?(_ value: RecordValue?) {
        guard let value, !value.isNull else {
            self = .missing
            return
        }
        if let number = value.number {
            guard let number = DecimalNumber(number) else { return nil }
            self = .number(number)
            return
        }
        // A day counts as the moment at which it begins.
        let form = Record.DateForm.iso8601
        guard let date = form.seconds(value) ?? form.seconds(.string("\(value.string ?? "")T00:00:00Z")) else {
            return nil
        }
        self = .date(date)
    }
}
