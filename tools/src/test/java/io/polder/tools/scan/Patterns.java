package io.polder.tools.scan;

/**
 * Methods that open one arena each. The name of a method begins with what becomes of its arena: a
 * fate, or the way in which it escapes.
 */
final class Patterns {
    static final String NAME = "Patterns";

    static final String SOURCE =
            """
            abstract class Patterns {
                Arena field;
                static Arena shared;
                Arena[] array = new Arena[1];
                abstract boolean test();
                abstract void use(Object any);
                abstract void useAllocator(SegmentAllocator allocator);
                record Holder(Arena arena) {}

                void closed_resource() {
                    try (Arena a = Arena.ofConfined()) { use(a.allocate(8)); }
                }
                int closed_resourceAndReturn() {
                    try (Arena a = Arena.ofShared()) {
                        if (test()) { return 1; }
                        return a.allocate(8).get(ValueLayout.JAVA_INT, 0);
                    }
                }
                void closed_resourceAndPassed() {
                    try (Arena a = Arena.ofConfined()) { use(a); useAllocator(a); }
                }
                void closed_resourceAndCaptured() {
                    try (Arena a = Arena.ofConfined()) {
                        Runnable r = () -> use(a.allocate(8));
                        r.run();
                    }
                }
                void closed_resourceAndStored() {
                    try (Arena a = field = Arena.ofConfined()) { use(1); }
                }
                void closed_resourceAndCatch() {
                    try (Arena a = Arena.ofConfined()) { use(a.allocate(8)); }
                    catch (IllegalStateException e) { use(e); }
                    finally { use(2); }
                }
                void closed_nestedInOtherResource() throws Exception {
                    try (AutoCloseable other = () -> use(1); Arena a = Arena.ofConfined()) {
                        use(a.allocate(8));
                    }
                }
                void closed_nestedAroundOtherResource() throws Exception {
                    try (Arena a = Arena.ofConfined(); AutoCloseable other = () -> use(1)) {
                        use(a.allocate(8));
                    }
                }
                void closed_conditionalResource() {
                    try (Arena a = test() ? Arena.ofConfined() : null) { use(1); }
                }
                void closed_manualFinally() {
                    Arena a = Arena.ofConfined();
                    try { use(a.allocate(8)); } finally { a.close(); }
                }
                void closed_finallyWithNullTest() {
                    Arena a = null;
                    try {
                        if (test()) { a = Arena.ofConfined(); use(a.allocate(8)); }
                        use(2);
                    } finally {
                        if (a != null) { a.close(); }
                    }
                }
                void closed_catchAndRethrow() {
                    Arena a = Arena.ofShared();
                    try { use(a.allocate(8)); } catch (Throwable t) { a.close(); throw t; }
                    a.close();
                }
                void closed_atOnce() { Arena.ofConfined().close(); }
                void closed_inLoop() {
                    for (int i = 0; test(); i++) {
                        if (i == 3) { continue; }
                        try (Arena a = Arena.ofConfined()) { if (test()) { break; } use(a); }
                    }
                }
                void closed_inSwitch(int i) {
                    Arena a = Arena.ofConfined();
                    try {
                        switch (i) { case 1: use(1); break; case 1000: return; default: use(3); }
                    } finally { a.close(); }
                }
                long closed_amongWideValues(long x, double y) {
                    long before = x * 3;
                    Arena a = Arena.ofConfined();
                    long after = before + 1;
                    double wide = y / 2;
                    try { return after + (long) wide + a.allocate(8).byteSize(); }
                    finally { a.close(); }
                }
                void closed_inSynchronized() {
                    try (Arena a = Arena.ofConfined()) { synchronized (this) { use(a); } }
                }
                void closed_openedInSynchronized() {
                    Arena a;
                    synchronized (this) { a = Arena.ofConfined(); }
                    try { use(a.allocate(8)); } finally { a.close(); }
                }
                String closed_printed() {
                    try (Arena a = Arena.ofConfined()) { return "arena " + a + a.scope(); }
                }
                void closed_byAnotherName() {
                    Arena a = Objects.requireNonNull(Arena.ofConfined());
                    AutoCloseable b = a;
                    Arena c = (Arena) b;
                    try { use(1); } finally { c.close(); }
                }

                void sometimes_withoutFinally() {
                    Arena a = Arena.ofConfined();
                    use(a.allocate(8));
                    a.close();
                }
                void sometimes_onOneBranch() {
                    Arena a = Arena.ofConfined();
                    if (test()) { a.close(); }
                }
                void sometimes_inOneCase(int i) {
                    Arena a = Arena.ofConfined();
                    switch (i) { case 1 -> a.close(); case 2 -> {} default -> a.close(); }
                }
                void sometimes_notOnErrors() {
                    Arena a = Arena.ofConfined();
                    try { use(1); } catch (RuntimeException e) { use(e); }
                    a.close();
                }
                void sometimes_passedAndClosed() {
                    Arena a = Arena.ofShared();
                    use(a);
                    a.close();
                }
                void sometimes_passedInFinally() {
                    Arena a = Arena.ofShared();
                    try { use(1); } finally { use(a); a.close(); }
                }
                void sometimes_passedAndClosedOnOneBranch() {
                    Arena a = Arena.ofShared();
                    use(a);
                    if (test()) { a.close(); }
                }
                void sometimes_oneOfManyArguments() {
                    Arena a = Arena.ofConfined();
                    System.out.printf("%s %s", a, a.allocate(8));
                    a.close();
                }
                void sometimes_callBeforeTry() {
                    Arena a = Arena.ofConfined();
                    use(1);
                    try { use(a.allocate(8)); } finally { a.close(); }
                }
                void sometimes_callBeforeCloseInFinally() {
                    Arena a = Arena.ofConfined();
                    try { use(a.allocate(8)); } finally { use(2); a.close(); }
                }
                void sometimes_onlyTheLastOfALoop() {
                    Arena a = null;
                    while (test()) { a = Arena.ofConfined(); }
                    if (a != null) { a.close(); }
                }

                void unclosed_lost() { use(Arena.ofConfined().allocate(8)); }
                void unclosed_local() {
                    Arena a = Arena.ofShared();
                    use(a.allocate(8));
                }
                MemorySegment unclosed_segmentReturned() {
                    Arena a = Arena.ofShared();
                    return a.allocate(8).reinterpret(8, a, null);
                }
                void unclosed_forEver() {
                    Arena a = Arena.ofShared();
                    MemorySegment s = a.allocate(8);
                    while (true) { s.fill((byte) 1); }
                }
                void unclosed_thrown() {
                    Arena a = Arena.ofConfined();
                    throw new IllegalStateException("left " + a);
                }
                void unclosed_otherClosed(Arena other) {
                    Arena a = Arena.ofConfined();
                    other.close();
                    use(a.allocate(8));
                }

                Arena return_atOnce() { return Arena.ofShared(); }
                Arena return_closedOnErrors() {
                    Arena a = Arena.ofShared();
                    try { use(a.allocate(8)); } catch (Throwable t) { a.close(); throw t; }
                    return a;
                }
                Arena return_orClosed() {
                    Arena a = Arena.ofConfined();
                    if (test()) { a.close(); return null; }
                    return a;
                }
                Object return_choice() { return test() ? Arena.ofConfined() : this; }

                void store_field() { field = Arena.ofConfined(); }
                void store_static() { shared = Arena.ofShared(); }
                void store_array() { array[0] = Arena.ofShared(); }
                void store_closedOnErrors() {
                    field = Arena.ofShared();
                    try { use(1); } catch (Throwable t) { field.close(); throw t; }
                }

                Runnable capture_lambda() {
                    Arena a = Arena.ofShared();
                    return () -> a.close();
                }
                Runnable capture_orClosed() {
                    Arena a = Arena.ofShared();
                    if (test()) { a.close(); throw new IllegalStateException(); }
                    return () -> a.close();
                }
                Runnable capture_methodReference() {
                    Arena a = Arena.ofShared();
                    return a::close;
                }

                void pass_argument() { use(Arena.ofConfined()); }
                Object pass_record() { return new Holder(Arena.ofConfined()); }
                Object pass_recordClosedOnErrors() {
                    Arena a = Arena.ofShared();
                    try { return new Holder(a); } catch (Throwable t) { a.close(); throw t; }
                }
                Object pass_orClosed() {
                    Arena a = Arena.ofShared();
                    if (test()) { a.close(); throw new IllegalStateException(); }
                    return new Holder(a);
                }
                Object pass_orLookedAtAndClosed() {
                    Arena a = Arena.ofShared();
                    use(a);
                    if (test()) { a.close(); return null; }
                    return new Holder(a);
                }
                Object pass_onErrorsAndPassedAndClosed() {
                    Arena a = Arena.ofShared();
                    try { use(1); } catch (Throwable t) { useAllocator(a); }
                    use(a);
                    a.close();
                    return null;
                }
                Object pass_successFlag() {
                    boolean success = false;
                    Arena a = Arena.ofShared();
                    try {
                        Object made = new Holder(a);
                        use(made);
                        success = true;
                        return made;
                    } finally {
                        if (!success) { a.close(); }
                    }
                }
                void closed_openedFlag() {
                    boolean opened = false;
                    Arena a = null;
                    try {
                        if (test()) { opened = true; a = Arena.ofConfined(); }
                        use(2);
                    } finally {
                        if (opened) { a.close(); }
                    }
                }
                void sometimes_flagOfUnknownValue(boolean flag) {
                    boolean chosen = flag ? true : false;
                    Arena a = Arena.ofConfined();
                    try { use(1); } finally { if (chosen) { a.close(); } }
                }
                void sometimes_wrongFlag() {
                    boolean done = false;
                    Arena a = Arena.ofConfined();
                    try { use(1); done = true; } finally { if (done) { a.close(); } }
                }
                void sometimes_flagOfALoop() {
                    boolean again = true;
                    Arena a = Arena.ofConfined();
                    while (again) { again = test(); }
                    if (again) { use(1); } else { a.close(); }
                }
                void pass_asAllocator() { useAllocator(Arena.ofConfined()); }

                Supplier<Arena> reference_method() { return Arena::ofConfined; }

                Runnable lambda() {
                    return () -> { try (Arena a = Arena.ofConfined()) { use(a); } };
                }
            }
            """;

    private Patterns() {}
}
