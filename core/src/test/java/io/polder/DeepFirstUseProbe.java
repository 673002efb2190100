package io.polder;

import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Opens the first arena of a process, or its first pool, with so many frames left on a stack. */
final class DeepFirstUseProbe {
    private static final long STACK_BYTES = 512 << 10;

    private final String what;
    private final int framesLeft;
    private String outcome = "not tried";

    private DeepFirstUseProbe(String what, int framesLeft) {
        this.what = what;
        this.framesLeft = framesLeft;
    }

    public static void main(String[] args) throws InterruptedException {
        try (Arena jdk = Arena.ofConfined()) {
            jdk.allocate(8); // what any program may have used before
        }
        if (!args[0].equals("pool") && !args[0].equals("beginning")) {
            MemoryPool.common();
        }
        DeepFirstUseProbe probe = new DeepFirstUseProbe(args[0], Integer.parseInt(args[1]));
        Thread deep = new Thread(null, probe::down, "deep", STACK_BYTES);
        deep.start();
        deep.join();
        System.out.println("first: " + probe.outcome);
        probe.outcome = "not tried";
        MemoryPool.common();
        probe.use();
        boolean pooled = MemoryPool.common().stats().usedBytes() > 0;
        System.out.println("then: " + (pooled ? probe.outcome : "not pooled"));
    }

    /** Returns how many frames there were to the end of the stack. */
    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private int down() {
        int left;
        try {
            left = down();
        } catch (StackOverflowError end) {
            left = 0;
        }
        if (left == framesLeft) {
            use();
        }
        return left + 1;
    }

    /** What has classes of its own that an error in their initialisation would kill. */
    private void useOther() {
        switch (what) {
            case "deferred" -> {
                Arena arena = MemoryPool.ofSharedDeferred();
                arena.allocate(100);
                arena.close();
            }
            case "page" -> {
                PageCache pages = MemoryPool.common().pages();
                Page page = pages.allocate(1);
                page.close();
            }
            case "heap" -> {
                try (RelocatingHeap heap = MemoryPool.common().openHeap()) {
                    heap.free(heap.allocate(100));
                }
            }
            default -> {}
        }
    }

    private void use() {
        try {
            if (what.equals("pool")) {
                MemoryPool.builder().name("another").build().close();
            }
            useOther();
            try (Arena arena = MemoryPool.ofConfined()) {
                MemorySegment memory = arena.allocate(8);
                memory.set(ValueLayout.JAVA_LONG, 0, 42);
                arena.allocate(1 << 20).fill((byte) 1);
            }
            outcome = "ok";
        } catch (Throwable thrown) {
            outcome = thrown.getClass().getName();
        }
    }
}
