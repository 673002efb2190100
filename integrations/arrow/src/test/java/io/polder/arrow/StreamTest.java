package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.util.ByteArrayReadableSeekableByteChannel;
import org.apache.arrow.vector.util.TransferPair;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Vectors of several types, through memory and through Arrow's streams and files. */
class StreamTest extends PoolFixture {
    StreamTest() {
        super("stream");
    }

    /** Rows of which each value follows from the number of the row; every seventh is null. */
    private VectorSchemaRoot rows(int from, int count) {
        BigIntVector numbers = new BigIntVector("numbers", allocator);
        Float8Vector halves = new Float8Vector("halves", allocator);
        BitVector odd = new BitVector("odd", allocator);
        VarCharVector names = new VarCharVector("names", allocator);
        ListVector lists = ListVector.empty("lists", allocator);
        UnionListWriter writer = lists.getWriter();
        for (int i = 0; i < count; i++) {
            int row = from + i;
            halves.setSafe(i, row / 2.0);
            odd.setSafe(i, row & 1);
            if (row % 7 == 0) {
                numbers.setNull(i);
                names.setNull(i);
            } else {
                numbers.setSafe(i, row * 3L);
                names.setSafe(i, ("name " + row).getBytes(StandardCharsets.UTF_8));
            }
            writer.setPosition(i);
            writer.startList();
            for (int item = 0; item < row % 4; item++) {
                writer.writeInt(row + item);
            }
            writer.endList();
        }
        lists.setValueCount(count);
        VectorSchemaRoot root = VectorSchemaRoot.of(numbers, halves, odd, names, lists);
        root.setRowCount(count);
        return root;
    }

    private static void check(VectorSchemaRoot root, int from, int count) {
        assertThat(root.getRowCount()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            int row = from + i;
            boolean isNull = row % 7 == 0;
            assertThat(root.getVector("numbers").getObject(i)).isEqualTo(isNull ? null : row * 3L);
            assertThat(root.getVector("halves").getObject(i)).isEqualTo(row / 2.0);
            assertThat(root.getVector("odd").getObject(i)).isEqualTo((row & 1) == 1);
            Object name = root.getVector("names").getObject(i);
            assertThat(name == null ? null : name.toString())
                    .isEqualTo(isNull ? null : "name " + row);
            List<?> list = (List<?>) root.getVector("lists").getObject(i);
            assertThat(list).hasSize(row % 4);
            for (int item = 0; item < row % 4; item++) {
                assertThat(list.get(item)).isEqualTo(row + item);
            }
        }
    }

    @Test
    void stream_ofBatches_readsAsItWasWritten() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] batches = {1, 3, 1000, 3000};
        int from = 1; // a list that is empty has no type yet
        try (VectorSchemaRoot schema = rows(1, 1);
                ArrowStreamWriter writer =
                        new ArrowStreamWriter(schema, null, Channels.newChannel(bytes))) {
            writer.start();
            for (int count : batches) {
                try (VectorSchemaRoot rows = rows(from, count);
                        ArrowRecordBatch batch = new VectorUnloader(rows).getRecordBatch()) {
                    new VectorLoader(schema).load(batch);
                }
                writer.writeBatch();
                from += count;
            }
            writer.end();
        }
        from = 1;
        try (ArrowStreamReader reader =
                new ArrowStreamReader(new ByteArrayInputStream(bytes.toByteArray()), allocator)) {
            for (int count : batches) {
                assertThat(reader.loadNextBatch()).isTrue();
                check(reader.getVectorSchemaRoot(), from, count);
                from += count;
            }
            assertThat(reader.loadNextBatch()).isFalse();
        }
    }

    @Test
    void file_ofOneBatch_readsAsItWasWritten() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (VectorSchemaRoot root = rows(5, 500);
                ArrowFileWriter writer =
                        new ArrowFileWriter(root, null, Channels.newChannel(bytes))) {
            writer.start();
            writer.writeBatch();
            writer.end();
        }
        try (ArrowFileReader reader =
                new ArrowFileReader(
                        new ByteArrayReadableSeekableByteChannel(bytes.toByteArray()), allocator)) {
            assertThat(reader.getRecordBlocks()).hasSize(1);
            assertThat(reader.loadRecordBatch(reader.getRecordBlocks().getFirst())).isTrue();
            check(reader.getVectorSchemaRoot(), 5, 500);
        }
    }

    @Test
    void vector_ofSeveralPages_keepsItsValues() {
        int count = 1 << 20;
        try (BigIntVector vector = new BigIntVector("large", allocator)) {
            for (int i = 0; i < count; i++) {
                vector.setSafe(i, i * 5L);
            }
            vector.setValueCount(count);
            assertThat(pool.stats().pages().takenBytes()).isGreaterThanOrEqualTo(8L << 20);
            TransferPair pair = vector.getTransferPair(allocator);
            pair.splitAndTransfer(count / 4, count / 2);
            try (BigIntVector half = (BigIntVector) pair.getTo()) {
                assertThat(half.getValueCount()).isEqualTo(count / 2);
                for (int i = 0; i < count / 2; i += 1009) {
                    assertThat(half.get(i)).isEqualTo((i + count / 4) * 5L);
                }
            }
        }
    }
}
