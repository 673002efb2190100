package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What becomes of arenas, on code as the compiler makes it. */
class FatesTest {
    @TempDir private Path folder;

    @Test
    void verdict_ofEachPattern_isWhatItsNameSays() {
        List<Use> arenas = arenas(Compiled.uses(folder, Patterns.NAME, Patterns.SOURCE));

        assertThat(arenas)
                .filteredOn(use -> !use.place().method().startsWith("lambda$lambda"))
                .allSatisfy(
                        use ->
                                assertThat(use.place().method())
                                        .as(use.place().frame())
                                        .startsWith(name(verdict(use)) + "_"))
                .hasSize(61);
        assertThat(arenas.stream().collect(Collectors.groupingBy(use -> name(verdict(use)))))
                .containsOnlyKeys(
                        "closed",
                        "sometimes",
                        "unclosed",
                        "return",
                        "store",
                        "capture",
                        "pass",
                        "reference");
    }

    @Test
    void lambda_isAMethodOfItsOwn() {
        List<Use> uses = Compiled.uses(folder, Patterns.NAME, Patterns.SOURCE);

        assertThat(uses)
                .filteredOn(use -> use.place().method().startsWith("lambda$lambda"))
                .extracting(Use::verdict)
                .containsExactly(Verdict.of(Fate.CLOSED));
    }

    /** Canary: the handlers alone are what makes a close one on every path. */
    @Test
    void closedWithoutItsHandlers_isSometimes() {
        byte[] whole = Compiled.bytes(Compiled.into(folder, Patterns.NAME, Patterns.SOURCE));
        byte[] without = withoutHandlers(whole);

        Stream.of("closed_resource", "closed_manualFinally", "closed_nestedInOtherResource")
                .forEach(
                        method -> {
                            assertThat(fate(whole, method)).isEqualTo(Fate.CLOSED);
                            assertThat(fate(without, method)).isEqualTo(Fate.SOMETIMES);
                        });
        assertThat(fate(without, "closed_atOnce")).isEqualTo(Fate.CLOSED);
    }

    @Test
    void arenaUnderMoreNamesThanCanBeFollowed_isUndecided() {
        StringBuilder body = new StringBuilder("Arena a = Arena.ofConfined(); Arena ");
        for (int i = 0; i < 18; i++) {
            body.append("a").append(i).append(i < 17 ? " = null, " : " = null; ");
        }
        for (int i = 0; i < 18; i++) {
            body.append("if (test()) { a").append(i).append(" = a; } ");
        }

        assertThat(fateOf(body + "a.close();")).isEqualTo(Fate.UNDECIDED);
    }

    @Test
    void moreFlagsThanCanBeFollowed_areForgotten() {
        StringBuilder body = new StringBuilder("Arena a = Arena.ofConfined(); boolean ");
        for (int i = 0; i < 18; i++) {
            body.append("f").append(i).append(i < 17 ? " = false, " : " = false; try { ");
        }
        for (int i = 0; i < 18; i++) {
            body.append("if (test()) { f").append(i).append(" = true; } ");
        }
        for (int i = 0; i < 18; i++) {
            body.append("if (f").append(i).append(") { test(); } ");
        }

        assertThat(fateOf(body + "} finally { a.close(); }")).isEqualTo(Fate.CLOSED);
    }

    @Test
    void moreHandOversThanFlagsCouldBe_areAllFollowed() {
        StringBuilder body = new StringBuilder("Arena a = Arena.ofConfined(); ");
        for (int i = 0; i < 100; i++) {
            body.append("if (test()) { System.out.println(a); } ");
        }

        assertThat(fateOf(body + "a.close();")).isEqualTo(Fate.SOMETIMES);
    }

    private Fate fateOf(String body) {
        String source = "abstract class One { abstract boolean test(); void one() {" + body + "} }";
        return fate(Compiled.bytes(Compiled.into(folder, "One", source)), "one");
    }

    @Test
    void kotlinUse_closes() {
        String kotlin =
                """
                class Kotlin {
                    void use(Object any) {}
                    void closed() throws Throwable {
                        Arena arena = Arena.ofConfined();
                        Throwable cause = null;
                        try { use(arena); }
                        catch (Throwable t) { cause = t; throw t; }
                        finally { AutoCloseableKt.closeFinally(arena, cause); }
                    }
                }
                class AutoCloseableKt {
                    static void closeFinally(AutoCloseable resource, Throwable cause) {}
                }
                """;
        byte[] compiled = Compiled.bytes(Compiled.into(folder, "Kotlin", kotlin));

        // Only the one in Kotlin's own library is known to close.
        assertThat(fate(compiled, "closed")).isEqualTo(Fate.ESCAPES);
        assertThat(fate(calling(ClassDesc.of("kotlin.AutoCloseableKt"), compiled), "closed"))
                .isEqualTo(Fate.CLOSED);
    }

    @Test
    void allocations_areKnownByTheirAllocator() {
        String source =
                """
                class Allocators {
                    void confined() { try (Arena a = Arena.ofConfined()) { a.allocate(1); } }
                    void shared() { try (Arena a = Arena.ofShared()) { a.allocateFrom("x"); } }
                    void auto() { Arena.ofAuto().allocate(1, 1); }
                    void global() { Arena.global().allocate(ValueLayout.JAVA_INT); }
                    void slicing(MemorySegment s) {
                        SegmentAllocator.slicingAllocator(s).allocate(1);
                    }
                    void prefix(MemorySegment s) {
                        SegmentAllocator.prefixAllocator(s).allocate(1);
                    }
                    void unknown(Arena a) { a.allocate(1); }
                }
                """;

        assertThat(Compiled.uses(folder, "Allocators", source))
                .filteredOn(use -> use.kind() == UseKind.ALLOCATE)
                .hasSize(7)
                .allSatisfy(
                        use ->
                                assertThat(String.valueOf(use.allocator()))
                                        .isEqualTo(
                                                use.place().method().replace("unknown", "null")));
    }

    private static byte[] withoutHandlers(byte[] file) {
        ClassFile classFile =
                ClassFile.of(
                        ClassFile.StackMapsOption.DROP_STACK_MAPS,
                        ClassFile.DeadCodeOption.KEEP_DEAD_CODE);
        return classFile.transformClass(
                classFile.parse(file),
                ClassTransform.transformingMethodBodies(
                        (builder, element) -> {
                            if (!(element instanceof ExceptionCatch)) {
                                builder.with(element);
                            }
                        }));
    }

    /** The class as if what it calls stood in another package. */
    private static byte[] calling(ClassDesc owner, byte[] file) {
        ClassFile classFile = ClassFile.of();
        return classFile.transformClass(
                classFile.parse(file),
                ClassTransform.transformingMethodBodies(
                        (builder, element) -> {
                            if (element instanceof InvokeInstruction invoke
                                    && invoke.name().equalsString("closeFinally")) {
                                builder.invokestatic(
                                        owner, invoke.name().stringValue(), invoke.typeSymbol());
                            } else {
                                builder.with(element);
                            }
                        }));
    }

    private static Fate fate(byte[] file, String method) {
        return arenas(ClassScan.of(file, Compiled.all())).stream()
                .filter(use -> use.place().method().equals(method))
                .map(use -> verdict(use).fate())
                .findFirst()
                .orElseThrow();
    }

    private static List<Use> arenas(List<Use> uses) {
        return uses.stream().filter(use -> UseKind.CLOSEABLE.contains(use.kind())).toList();
    }

    private static Verdict verdict(Use use) {
        return Objects.requireNonNull(use.verdict());
    }

    private static String name(Verdict verdict) {
        Way way = verdict.way();
        return (way == null ? verdict.fate().label() : way.label()).toLowerCase(Locale.ROOT);
    }
}
