package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Reads what somebody else made, who may have made it larger than there is room for. */
final class Limited {
    private static final int BUFFER_BYTES = 64 << 10;

    private Limited() {}

    /**
     * Reads a stream to its end.
     *
     * @throws IOException if it has more than so many bytes
     */
    static byte[] read(InputStream in, int bytesMax) throws IOException {
        byte[] bytes = in.readNBytes(bytesMax);
        if (bytes.length == bytesMax && in.read() >= 0) {
            throw tooLong(bytesMax);
        }
        return bytes;
    }

    /**
     * Copies a stream to its end.
     *
     * @return how many bytes it has
     * @throws IOException if it has more than so many bytes, some of which are copied by then
     */
    static long copy(InputStream in, OutputStream out, long bytesMax) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long left = bytesMax;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            left -= read;
            if (left < 0) {
                throw tooLong(bytesMax);
            }
            out.write(buffer, 0, read);
        }
        return bytesMax - left;
    }

    private static IOException tooLong(long bytesMax) {
        return new IOException("what is read is not longer than " + bytesMax + " bytes");
    }
}
