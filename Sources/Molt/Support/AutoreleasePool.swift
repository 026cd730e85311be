#if canImport(ObjectiveC)
    internal import ObjectiveC
#endif

/// Runs a closure, and then releases the objects that it autoreleased.
///
/// On Apple's systems, Foundation and closures of the app autorelease objects. Without a pool, those of all records
/// would live until the upgrade ends.
package func withAutoreleasePool<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if canImport(ObjectiveC)
        try autoreleasepool(invoking: body)
    #else
        try body()
    #endif
}
