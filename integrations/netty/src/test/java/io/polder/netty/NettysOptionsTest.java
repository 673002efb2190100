package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What options of Netty, and of the JVM, mean for these buffers: each in a JVM of its own. */
class NettysOptionsTest {
    private static final int MIB = 1 << 20;

    /** Says what {@code DEFAULT} does. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws InterruptedException {
            PolderByteBufAllocator allocator = PolderByteBufAllocator.DEFAULT;
            if (List.of(args).contains("released")) {
                useReleased(allocator);
                return;
            }
            if (List.of(args).contains("deep")) {
                useDeep();
            }
            ByteBuf first = allocator.buffer(100);
            System.out.println("direct=" + first.isDirect());
            System.out.println("ours=" + allocator.isDirectBufferPooled());
            // Of one more, it must not go wrong what went wrong of the first.
            System.out.println(
                    "second="
                            + new PolderByteBufAllocator(MemoryPool.common())
                                    .isDirectBufferPooled());
            if (List.of(args).contains("fill")) {
                List<ByteBuf> buffers = new ArrayList<>();
                try {
                    while (buffers.size() < 1000) {
                        buffers.add(allocator.directBuffer(MIB));
                    }
                } catch (OutOfMemoryError limit) {
                    System.out.println("limit=" + limit.getMessage());
                }
                System.out.println("mib=" + buffers.size());
            }
        }

        /** What is done with a released buffer must not free its block once more. */
        private static void useReleased(PolderByteBufAllocator allocator) {
            allocator.directBuffer(64, 1000).writeLong(1);
            ByteBuf released = allocator.directBuffer(64, 1000);
            released.release();
            List<Consumer<ByteBuf>> uses =
                    List.of(
                            buffer -> buffer.writeByte(1),
                            buffer -> buffer.capacity(128),
                            buffer -> buffer.capacity(1),
                            buffer -> buffer.ensureWritable(10),
                            buffer -> buffer.setLong(0, 1),
                            buffer -> buffer.writeZero(100));
            for (Consumer<ByteBuf> use : uses) {
                try {
                    use.accept(released);
                    System.out.println("allowed");
                } catch (IllegalReferenceCountException | IndexOutOfBoundsException refused) {
                    System.out.println("refused");
                }
            }
            Set<Long> addresses = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                addresses.add(allocator.directBuffer(64).memoryAddress());
            }
            System.out.println("addresses=" + addresses.size());
        }

        /** Asks for a buffer in each frame on the way back from the end of a stack. */
        @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
        private static void down() {
            try {
                down();
            } catch (StackOverflowError end) {
                // Back from here.
            }
            try {
                PolderByteBufAllocator.DEFAULT.directBuffer(64).release();
            } catch (Throwable tooDeep) {
                // What counts is what comes afterwards.
            }
        }

        /** The first buffer of these comes near the end of a stack, and of all else not. */
        private static void useDeep() throws InterruptedException {
            MemoryPool other = MemoryPool.builder().build();
            other.blocks().freeAddress(other.blocks().allocateAddress(64));
            UnpooledByteBufAllocator.DEFAULT.directBuffer(64).release();
            Thread deep = new Thread(null, Program::down, "deep", MIB);
            System.out.println(PolderByteBufAllocator.DEFAULT);
            deep.start();
            deep.join();
        }
    }

    @Test
    void limit_ofDirectMemoryOfTheJvm_holds() throws Exception {
        String said = run(List.of("-XX:MaxDirectMemorySize=64m"), "fill");
        assertThat(said).contains("committedMaxBytes=" + 64L * MIB);
        assertThat(said).containsPattern("mib=(5\\d|6[0-4])\\R");
    }

    @Test
    void limit_ofNetty_holds() throws Exception {
        String said =
                run(
                        List.of(
                                "-XX:MaxDirectMemorySize=64m",
                                "-Dio.netty.maxDirectMemory=" + 32L * MIB),
                        "fill");
        assertThat(said).contains("committedMaxBytes=" + 32L * MIB);
        String small = run(List.of("-XX:MaxDirectMemorySize=1m"), "fill");
        assertThat(small).contains("committedMaxBytes=" + 4L * MIB);
    }

    @Test
    void preference_ofNetty_holds() throws Exception {
        assertThat(run(List.of())).contains("direct=true");
        assertThat(run(List.of("-Dio.netty.noPreferDirect=true"))).contains("direct=false");
    }

    @Test
    void counts_notChecked_freeNoBlockTwice() throws Exception {
        for (String bounds : new String[] {"true", "false"}) {
            String said =
                    run(
                            List.of(
                                    "-Dio.netty.buffer.checkAccessible=false",
                                    "-Dio.netty.buffer.checkBounds=" + bounds),
                            "released");
            assertThat(said).contains("refused", "addresses=300").doesNotContain("allowed");
        }
    }

    /** Netty's own classes for leaks are left out, which could not be initialised there either. */
    @Test
    void buffers_firstNearTheEndOfAStack_canBeHadLater() throws Exception {
        assertThat(run(List.of("-Dio.netty.leakDetection.level=disabled"), "deep"))
                .contains("not yet used", "ours=true", "second=true");
    }

    /** Native access is the library's alone: all allocators have Netty's buffers. */
    @Test
    void allocators_onlyTheLibraryHasNativeAccess_haveNettysBuffers() throws Exception {
        Path library =
                Path.of(
                        MemoryPool.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        String rest =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(each -> !Path.of(each).equals(library))
                        .collect(Collectors.joining(File.pathSeparator));
        String said =
                start(
                        List.of(
                                "--illegal-native-access=deny",
                                "--enable-native-access=io.polder",
                                "-p",
                                library.toString(),
                                "--add-modules",
                                "io.polder"),
                        rest);
        assertThat(said).contains("direct=true", "ours=false", "second=false");
        assertThat(said).doesNotContain("NoClassDefFoundError");
    }

    private static String run(List<String> flags, String... args)
            throws IOException, InterruptedException, URISyntaxException {
        List<String> all = new ArrayList<>(flags);
        all.add("--enable-native-access=ALL-UNNAMED");
        return start(all, System.getProperty("java.class.path"), args);
    }

    private static String start(List<String> flags, String classPath, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, Program.class.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).describedAs(said).isZero();
        return said;
    }
}
