// Stands for Apple's module, for .ci/darwin.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
