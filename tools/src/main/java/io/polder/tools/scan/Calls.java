package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which methods are uses of native memory, by the names in a class file. */
final class Calls {
    static final String ARENA = "java/lang/foreign/Arena";

    private static final String ALLOCATOR = "java/lang/foreign/SegmentAllocator";
    private static final String SEGMENT = "java/lang/foreign/MemorySegment";
    private static final String UNSAFE = "sun/misc/Unsafe";
    private static final String JDK_UNSAFE = "jdk/internal/misc/Unsafe";

    private static final String POOL = "io/polder/MemoryPool";

    /** What memory of Polder's is allocated from. */
    private static final Set<String> POLDER =
            Set.of(
                    "io/polder/BlockAllocator",
                    "io/polder/FreeingArena",
                    "io/polder/heap/RelocatingHeap",
                    "io/polder/page/PageCache");

    /** Classes one of which occurs in the constant pool of each class that has a use. */
    static final Set<String> OWNERS =
            Stream.concat(
                            Stream.of(ARENA, ALLOCATOR, SEGMENT, UNSAFE, JDK_UNSAFE, POOL),
                            POLDER.stream())
                    .collect(Collectors.toUnmodifiableSet());

    /** Methods of {@code Unsafe} for memory off the heap, whatever they take. */
    private static final Set<String> UNSAFE_MEMORY =
            Set.of(
                    "allocateMemory",
                    "reallocateMemory",
                    "freeMemory",
                    "setMemory",
                    "copyMemory",
                    "copySwapMemory",
                    "invokeCleaner",
                    "writebackMemory");

    private Calls() {}

    /** What kind of use a method is; null if none. */
    static @Nullable UseKind kind(MemberRefEntry method) {
        String name = method.name().stringValue();
        String owner = method.owner().asInternalName();
        return switch (owner) {
            case ARENA -> ofArena(name);
            case ALLOCATOR -> ofAllocator(name);
            case SEGMENT -> name.equals("reinterpret") ? UseKind.REINTERPRET : null;
            case UNSAFE, JDK_UNSAFE -> ofUnsafe(name, method.type().stringValue());
            case POOL -> ofPool(name);
            default -> POLDER.contains(owner) ? ofPolder(name) : null;
        };
    }

    private static @Nullable UseKind ofPool(String name) {
        return switch (name) {
            case "ofConfined", "openConfined", "ofShared", "openShared" -> UseKind.POOLED;
            case "ofSharedDeferred", "openSharedDeferred" -> UseKind.POOLED;
            case "openFreeing", "openHeap" -> UseKind.POOLED;
            default -> null;
        };
    }

    private static @Nullable UseKind ofPolder(String name) {
        return switch (name) {
            case "allocateAddress", "allocateZeroed", "allocateZeroedAddress" -> UseKind.ALLOCATE;
            case "allocateAll", "tryAllocate" -> UseKind.ALLOCATE;
            default -> ofAllocator(name);
        };
    }

    private static @Nullable UseKind ofArena(String name) {
        return switch (name) {
            case "ofConfined" -> UseKind.CONFINED;
            case "ofShared" -> UseKind.SHARED;
            case "ofAuto" -> UseKind.AUTO;
            case "global" -> UseKind.GLOBAL;
            default -> ofAllocator(name);
        };
    }

    private static @Nullable UseKind ofAllocator(String name) {
        return switch (name) {
            case "slicingAllocator" -> UseKind.SLICING;
            case "prefixAllocator" -> UseKind.PREFIX;
            case "allocate", "allocateFrom" -> UseKind.ALLOCATE;
            default -> null;
        };
    }

    private static @Nullable UseKind ofUnsafe(String name, String descriptor) {
        if (UNSAFE_MEMORY.contains(name)) {
            return UseKind.UNSAFE;
        }
        if (descriptor.startsWith("(J") && (name.startsWith("get") || name.startsWith("put"))) {
            return UseKind.UNSAFE;
        }
        return descriptor.startsWith("(Ljava/lang/Object;J") ? UseKind.UNSAFE_OBJECT : null;
    }

    /** A call of the method, for people: {@code Arena.allocate(long, long)}. */
    static String call(MemberRefEntry method) {
        String parameters =
                MethodTypeDesc.ofDescriptor(method.type().stringValue()).parameterList().stream()
                        .map(type -> type.displayName().replace('$', '.'))
                        .collect(Collectors.joining(", "));
        return simpleOwner(method) + "." + method.name().stringValue() + "(" + parameters + ")";
    }

    /** A reference to the method, for people: {@code Arena::ofConfined}. */
    static String reference(MemberRefEntry method) {
        return simpleOwner(method) + "::" + method.name().stringValue();
    }

    private static String simpleOwner(MemberRefEntry method) {
        String name = method.owner().asInternalName();
        return name.substring(name.lastIndexOf('/') + 1);
    }
}
