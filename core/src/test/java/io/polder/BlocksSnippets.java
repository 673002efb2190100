package io.polder;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.SynchronousQueue;

/** The examples of docs/blocks.md, compiled. */
final class BlocksSnippets {
    // @start region="blocks"
    void main() throws InterruptedException {
        BlockAllocator blocks = MemoryPool.common().blocks();
        var queue = new SynchronousQueue<MemorySegment>();
        Thread reader = Thread.ofVirtual().start(() -> receive(blocks, queue));
        MemorySegment message = blocks.allocate(64, 8);
        message.setString(0, "handed over");
        queue.put(message);
        reader.join();
    }

    void receive(BlockAllocator blocks, SynchronousQueue<MemorySegment> queue) {
        try {
            MemorySegment message = queue.take();
            System.out.println(message.getString(0));
            blocks.free(message); // allocated by another thread
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // @end

    // @start region="moving"
    @SuppressWarnings("restricted") // it needs --enable-native-access, as the blocks do
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static long send(BlockAllocator blocks, WritableByteChannel channel) throws IOException {
        long address = blocks.allocateZeroedAddress(16, 8);
        MEMORY.set(ValueLayout.JAVA_LONG, address, 42); // whose memory that is, nothing checks
        address = blocks.reallocateAddress(address, 4096);
        long number = MEMORY.get(ValueLayout.JAVA_LONG, address);
        channel.write(MEMORY.asSlice(address, 8).asByteBuffer()); // a direct buffer
        blocks.freeAddress(address);
        return number;
    }
    // @end
}
