package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.reflect.AccessFlag;
import java.util.Objects;

/**
 * Bytes of bytecode that arenas which compilers remove rest on: see decision 0005. HotSpot inlines
 * some 8,000 into one method, of which the JDK's part of an arena takes 800; and no method that is
 * longer than 325.
 */
class ArenaCodeSizeTest {
    /**
     * So that five arenas inside each other, with 360 bytes around them, are all inlined, also
     * where the program opens the JDK's.
     */
    private static final int OF_ONE_ARENA = 666;

    /** {@code MaxTrivialSize}: so short a method is inlined wherever there is any room. */
    private static final int TRIVIAL_MAX = 6;

    /** {@code FreqInlineSize}. */
    private static final int INLINED_MAX = 325;

    @Test
    void oneArena_openedAndClosed_isShortEnoughForFiveInsideEachOther() {
        int sum =
                size(MemoryPool.class, "ofConfined", "()")
                        + size(ArenaFactory.class, "openConfined", "()")
                        + size(ArenaFactory.class, "guess", "(J)")
                        + size(ConfinedArena.class, "<init>", "")
                        + size(ThreadCache.class, "take", "()")
                        + size(
                                ConfinedArena.class,
                                "allocate",
                                "(Ljava/lang/foreign/MemoryLayout;J)")
                        + size(ConfinedArena.class, "allocate", "(JJ)")
                        + size(Arguments.class, "checkAllocation", "")
                        + size(ConfinedArena.class, "close", "")
                        + size(ConfinedArena.class, "closeAll", "")
                        + size(SlabCache.class, "give", "");
        assertThat(sum).isBetween(OF_ONE_ARENA / 2, OF_ONE_ARENA);
    }

    @Test
    void close_isAsShortAsCanBe() {
        assertThat(size(ConfinedArena.class, "close", "")).isLessThanOrEqualTo(TRIVIAL_MAX);
    }

    @Test
    void whatGrowsAndGivesBack_isLongerThanWhatIsInlined() {
        assertThat(size(SlabCache.class, "grow", "")).isGreaterThan(INLINED_MAX);
        assertThat(size(SlabCache.class, "giveMore", "")).isGreaterThan(INLINED_MAX);
        assertThat(size(SlabSlots.class, "takeCounted", "")).isGreaterThan(INLINED_MAX);
    }

    /** The size of the only method of that name whose descriptor begins so. */
    private static int size(Class<?> type, String name, String descriptor) {
        MethodModel found = null;
        for (MethodModel method : ClassFile.of().parse(bytes(type)).methods()) {
            if (method.methodName().equalsString(name)
                    && method.methodType().stringValue().startsWith(descriptor)
                    && !method.flags().has(AccessFlag.SYNTHETIC)) {
                assertThat(found).as("one method %s%s", name, descriptor).isNull();
                found = method;
            }
        }
        CodeAttribute code =
                (CodeAttribute) Objects.requireNonNull(found, name).code().orElseThrow();
        return code.codeLength();
    }

    private static byte[] bytes(Class<?> type) {
        String file = type.getName().replaceFirst(".*[.]", "") + ".class";
        try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(file))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError("a class has a file: " + type, e);
        }
    }
}
