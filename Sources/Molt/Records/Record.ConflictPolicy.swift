extension Record {
    /// The policy for two different records that would have the same key.
    ///
    /// Records of one type with equal contents always become one record, whatever the policy: the order of properties
    /// and white space make no difference. The record that stays expires with the last of them. A key that a record of
    /// another type has always stops the upgrade.
    ///
    /// An error of a policy stops the upgrade, too, whatever its failure policy: both records are whole.
    public enum ConflictPolicy: Sendable {
        /// The upgrade stops with the code `keyExists`.
        case stop
        /// The record that has the key stays, and the other one is lost.
        ///
        /// When keys are renamed and none of the records has the new key yet, the one with the first old key stays, in
        /// the order of their bytes.
        case keep
        /// The record with the greater value of a property stays, and the other one is lost.
        ///
        /// Numbers are compared exactly. Strings are compared as dates of ISO 8601, with or without a time. A record
        /// without the property, or with null, is older than any other. If both are equally new, the content that comes
        /// last in the order of its bytes stays, so that the order of records does not matter.
        ///
        /// The upgrade stops with the code `keyExists` if a value is neither a number nor a date, or if one record has
        /// a number and the other one a date.
        case newest(by: PropertyPath)
        /// A closure merges the second record into the first one, which stays; the second one is then removed.
        ///
        /// ```swift
        /// .merge { record, other in
        ///     record["visits"] = .int(try record.int("visits") + other.int("visits"))
        /// }
        /// ```
        ///
        /// The first record is the one that would stay with ``keep``, and already has the later expiry of the two. The
        /// closure may change its content and its expiry. It does not run for an object that is extracted and equal to
        /// the record as it is by then. It must give the same result whenever it runs. Increase the revision when you
        /// edit the closure; see ``MigrationStep/transform(_:revision:_:)``.
        case merge(
            revision: Int = 1,
            @Sendable (_ record: inout Record, _ other: Record) throws -> Void
        )
    }
}

extension Record.ConflictPolicy {
    /// What becomes of two records with one key.
    enum Outcome {
        /// They are equal, so nothing is lost with the second one.
        case equal
        case first
        case second
        /// The first one, with changes.
        case merged(Record)
        /// The upgrade must stop; with the reason in a sentence, unless the policy is to stop.
        case undecided(String?)
    }

    var identity: [String] {
        switch self {
        case .stop: ["stop"]
        case .keep: ["keep"]
        case .newest(let path): ["newest"] + path.identity
        case .merge(let revision, _): ["merge", String(revision)]
        }
    }

    /// Whether the content of a record may be lost.
    var isLossy: Bool { if case .stop = self { false } else { true } }

    var runsClosure: Bool { if case .merge = self { true } else { false } }

    /// Why there can be no such policy, in a sentence.
    var fault: String? {
        guard case .newest(let path) = self, path.count == 0 || path.hasEach else { return nil }
        return "The newest record is not found by the path of one property."
    }

    /// Decides between two records of one type.
    ///
    /// - Parameter isMerged: Whether a closure has merged others into the first one, so that it is equal to none.
    /// - Throws: The error of a closure.
    func resolve(_ first: Record, isMerged: Bool = false, _ second: Record) throws -> Outcome {
        let (content, other) = try (first.comparable(), second.comparable())
        if !isMerged, first.isData == second.isData, content == other { return .equal }
        switch self {
        case .stop: return .undecided(nil)
        case .keep: return .first
        case .newest(let path):
            switch first.compare(to: second, by: path) {
            case .earlier: return .second
            case .later: return .first
            case .impossible:
                return .undecided(
                    "The values of \"\(path)\" cannot be compared: they are not two numbers or two dates of ISO 8601."
                )
            case .same: break
            }
            if first.isData != second.isData { return first.isData ? .second : .first }
            return content.lexicographicallyPrecedes(other) ? .second : .first
        case .merge(_, let body):
            var merged = first
            if first.expiresBefore(second) { merged.expiration = second.expiration }
            try body(&merged, second)
            if let failure = merged.failure ?? second.failure { throw failure }
            guard !merged.isDropped, ExactName.isSame(merged.key, first.key),
                ExactName.isSame(merged.typeName, first.typeName)
            else {
                throw first.error(
                    .stepFailed,
                    "The closure of `onConflict` has changed the record's key, type or existence. It may only change "
                        + "the content and the expiry."
                )
            }
            return .merged(merged)
        }
    }
}

extension Record {
    /// Whether another record exists longer.
    func expiresBefore(_ other: Record) -> Bool {
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
