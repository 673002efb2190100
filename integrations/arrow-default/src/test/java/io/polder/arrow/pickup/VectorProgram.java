package io.polder.arrow.pickup;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.BufferLedger;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.Channels;

/**
 * A program with Arrow's vectors that knows nothing of where their memory comes from; it prints
 * which manager a buffer has, and then what it read from a stream.
 */
final class VectorProgram {
    private static final int ROWS = 100_000;

    private VectorProgram() {}

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        try (BufferAllocator allocator = new RootAllocator()) {
            try (ArrowBuf buffer = allocator.buffer(100)) {
                buffer.setLong(0, 7);
                System.out.println("manager " + manager(buffer).getClass().getName());
            }
            System.out.println("sum " + throughStream(allocator));
        }
    }

    /** The manager that stands behind a buffer, which Arrow shows to nobody. */
    private static AllocationManager manager(ArrowBuf buffer) throws ReflectiveOperationException {
        Field field = BufferLedger.class.getDeclaredField("allocationManager");
        field.setAccessible(true);
        return (AllocationManager) field.get(buffer.getReferenceManager());
    }

    private static long throughStream(BufferAllocator allocator) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (IntVector numbers = new IntVector("numbers", allocator)) {
            for (int i = 0; i < ROWS; i++) {
                numbers.setSafe(i, i);
            }
            numbers.setValueCount(ROWS);
            try (ArrowStreamWriter writer =
                    new ArrowStreamWriter(
                            VectorSchemaRoot.of(numbers), null, Channels.newChannel(bytes))) {
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        long sum = 0;
        try (ArrowStreamReader reader =
                new ArrowStreamReader(new ByteArrayInputStream(bytes.toByteArray()), allocator)) {
            while (reader.loadNextBatch()) {
                IntVector numbers = (IntVector) reader.getVectorSchemaRoot().getVector("numbers");
                for (int i = 0; i < numbers.getValueCount(); i++) {
                    sum += numbers.get(i);
                }
            }
        }
        return sum;
    }
}
