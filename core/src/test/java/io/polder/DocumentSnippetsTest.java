package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The examples of documents do what the text around them says. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
class DocumentSnippetsTest {
    private static final int MIB = 1 << 20;

    private static String printed(Executable example) throws Throwable {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            example.execute();
        } finally {
            System.setOut(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void limit_exceeded_isNamed() throws Throwable {
        assertThat(printed(new LimitsSnippets()::main))
                .isEqualToIgnoringNewLines(
                        "committed memory must stay within its limit: committedMaxBytes=16777216,"
                                + " committedBytes=4194304, requestedBytes=33554432,"
                                + " exceededByBytes=16777216, pool=frontend");
    }

    @Test
    void shrinker_asked_closesSparePages() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build()) {
            Queue<Page> spare = new ConcurrentLinkedQueue<>();
            Runnable remove = LimitsSnippets.addShrinker(pool, spare);
            for (int i = 0; i < 8; i++) {
                spare.add(pool.pages().allocate(2 * MIB));
            }
            assertThat(pool.report()).contains("spare: 8");
            pool.pages().allocate(6 * MIB).close();
            assertThat(spare).hasSize(5);
            remove.run();
            spare.forEach(Page::close);
        }
    }

    @Test
    void blocks_areHandedOver() throws Throwable {
        assertThat(printed(new BlocksSnippets()::main)).isEqualToIgnoringNewLines("handed over");
    }

    @Test
    void addresses_areReadAndWritten() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            BlockAllocator blocks = pool.blocks();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThat(BlocksSnippets.send(blocks, Channels.newChannel(out))).isEqualTo(42);
            assertThat(out.size()).isEqualTo(8);
            assertThatIllegalArgumentException().isThrownBy(() -> blocks.freeAddress(0));
            long two = blocks.reallocateAddress(0, 16);
            MemorySegment memory = BlocksSnippets.MEMORY;
            memory.set(ValueLayout.JAVA_LONG, two, 7);
            MemorySegment.copy(memory, two, memory, two + 8, 8);
            VarHandle number = ValueLayout.JAVA_LONG.varHandle();
            assertThat(number.compareAndSet(memory, two + 8, 7L, 8L)).isTrue();
            blocks.freeAddress(two);
        }
    }

    @Test
    void page_isOfWholeGranules() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertThat(PagesSnippets.fill(pool)).isEqualTo(20 * MIB);
            assertThat(pool.stats().pages().takenPages()).isZero();
        }
    }
}
