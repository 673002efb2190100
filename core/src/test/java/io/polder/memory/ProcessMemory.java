package io.polder.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;

/** How much memory is really behind the addresses of this process, by its page tables. */
final class ProcessMemory {

    /** Bytes of an entry of {@code /proc/self/pagemap}; one entry per OS page. */
    private static final int ENTRY_BYTES = 8;

    /** The bit of an entry that says a page is in memory. */
    private static final long PRESENT = 1L << 63;

    /** Read at a time. A guess: large enough that the walk outweighs the call. */
    private static final int BUFFER_BYTES = 64 << 10;

    private ProcessMemory() {}

    /**
     * The bytes of a range of whole pages with a page behind them; empty where the system does not
     * tell. A page that was only read counts although it is the kernel's one page of zeroes: look
     * before you read.
     */
    static OptionalLong residentBytes(long address, long bytes) {
        OptionalLong told = AuxiliaryVector.kernelPageSize(AuxiliaryVector.OWN);
        if (told.isEmpty()) {
            return told;
        }
        long osPageSize = told.getAsLong();
        Path file = ProcFile.root().resolve("proc/self/pagemap");
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.nativeOrder());
        long position = address / osPageSize * ENTRY_BYTES;
        long end = (address + bytes) / osPageSize * ENTRY_BYTES;
        long pages = 0;
        try (FileChannel channel = FileChannel.open(file)) {
            while (position < end) {
                buffer.clear().limit((int) Math.min(BUFFER_BYTES, end - position));
                int read = channel.read(buffer, position);
                if (read <= 0) {
                    return OptionalLong.empty();
                }
                position += read;
                buffer.flip();
                while (buffer.remaining() >= ENTRY_BYTES) {
                    if ((buffer.getLong() & PRESENT) != 0) {
                        pages++;
                    }
                }
            }
            return OptionalLong.of(pages * osPageSize);
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
