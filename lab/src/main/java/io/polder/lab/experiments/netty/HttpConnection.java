package io.polder.lab.experiments.netty;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A connection to {@link HttpServer}, without Netty: one request at a time. */
final class HttpConnection implements AutoCloseable {
    private static final String LENGTH = "content-length: ";
    private static final String LINE = "\r\n";
    private static final String END_OF_HEAD = LINE + LINE;

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;

    /** Head and body of a request. */
    private final byte[] sent;

    /** What of an answer was read last. */
    private final byte[] got = new byte[64 << 10];

    /** Connects. */
    HttpConnection(int port, int bodyBytesMax) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = socket.getInputStream();
        sent = new byte[bodyBytesMax + 256];
        Arrays.fill(sent, HttpServer.CONTENT);
    }

    /**
     * Sends a body and reads the answer.
     *
     * @throws IOException if it is not the one that was asked for
     */
    void exchange(int bodyBytes, int answerBytes) throws IOException {
        String head =
                "POST /"
                        + answerBytes
                        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                        + bodyBytes
                        + END_OF_HEAD;
        byte[] bytes = head.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, sent, 0, bytes.length);
        out.write(sent, 0, bytes.length + bodyBytes);
        Arrays.fill(sent, 0, bytes.length, HttpServer.CONTENT);
        read(answerBytes);
    }

    private void read(int answerBytes) throws IOException {
        int count = 0;
        int end = -1;
        while (end < 0) {
            count += some(count);
            end = new String(got, 0, count, StandardCharsets.ISO_8859_1).indexOf(END_OF_HEAD);
        }
        String head = new String(got, 0, end, StandardCharsets.ISO_8859_1);
        if (!head.startsWith("HTTP/1.1 200")
                || !(head + LINE).contains(LENGTH + answerBytes + LINE)) {
            throw new IOException("an answer must have what was asked for: " + head);
        }
        int left = answerBytes - (count - end - END_OF_HEAD.length());
        byte last = got[count - 1];
        while (left > 0) {
            int more = some(0);
            left -= more;
            last = got[more - 1];
        }
        if (left < 0 || last != HttpServer.CONTENT) {
            throw new IOException("an answer must be as long as it says: bytes=" + answerBytes);
        }
    }

    private int some(int at) throws IOException {
        int count = in.read(got, at, got.length - at);
        if (count <= 0) {
            throw new EOFException("the server has closed the connection");
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
