package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.examples.transfer.SourceTree.SourceFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests of a receiver: first for digests, then for files. */
final class FileRequests {

    /** A request for digests of the beginning of a file. */
    private record DigestRequest(int index, long length, long step) {}

    private final List<SourceFile> files;
    private final FileDigestCache digests;
    private final BitSet named = new BitSet();
    private final BitSet present = new BitSet();
    private final Map<Integer, Long> offsets = new HashMap<>();
    private final Map<Integer, byte[]> sums = new HashMap<>();

    private FileRequests(List<SourceFile> files, FileDigestCache digests) {
        this.files = files;
        this.digests = digests;
    }

    /** Reads and serves the requests for digests, then reads those for files. */
    static FileRequests read(
            ElementReader reader, ElementWriter writer, List<SourceFile> files, FileDigestCache digests)
            throws IOException, InterruptedException {
        FileRequests requests = new FileRequests(files, digests);
        requests.sendDigests(requests.readDigestRequests(reader), writer);
        requests.readFileRequests(reader);
        return requests;
    }

    private List<DigestRequest> readDigestRequests(ElementReader reader) throws InterruptedException {
        List<DigestRequest> requests = new ArrayList<>();
        int digestBytes = 0;
        BitSet asked = new BitSet();
        for (MessageElement element = reader.next();
                !element.name().equals(TransferProtocol.ASKED);
                element = reader.next()) {
            if (!element.name().equals(TransferProtocol.DIGESTS)) {
                throw TransferProtocol.violation(
                        "unexpected element " + element.name() + " among the requests for digests");
            }
            String[] fields = TransferProtocol.fields(element.text(), 3);
            int index = index(fields[0], asked);
            long length = TransferProtocol.number(fields[1], files.get(index).size());
            long step = TransferProtocol.number(fields[2], Long.MAX_VALUE);
            int bytes = FilePrefix.digestBytes(length, step);
            if (bytes > TransferProtocol.MAX_DIGEST_BYTES - digestBytes) {
                throw ErrorCode.LIMIT_EXCEEDED.exception(
                        "digests: too many bytes (expected: <= " + TransferProtocol.MAX_DIGEST_BYTES + ")");
            }
            digestBytes += bytes;
            requests.add(new DigestRequest(index, length, step));
        }
        return requests;
    }

    private int index(String text, BitSet known) {
        int index = (int) TransferProtocol.number(text, files.size() - 1L);
        if (known.get(index)) {
            throw TransferProtocol.violation("file " + index + " is named twice");
        }
        known.set(index);
        return index;
    }

    private void sendDigests(List<DigestRequest> requests, ElementWriter writer) throws IOException {
        for (DigestRequest request : requests) {
            SourceFile file = files.get(request.index);
            FilePrefix prefix = FilePrefix.of(file.source(), request.length, request.step);
            if (request.length == file.size()) {
                sums.put(request.index, prefix.digest());
            }
            writer.write(TransferProtocol.MARKS, prefix.digests());
        }
        writer.flush();
    }

    private void readFileRequests(ElementReader reader) throws InterruptedException {
        for (MessageElement element = reader.next();
                !element.name().equals(TransferProtocol.GO);
                element = reader.next()) {
            switch (element.name()) {
                case TransferProtocol.HAVE -> present.set(index(element.text(), named));
                case TransferProtocol.FROM -> {
                    String[] fields = TransferProtocol.fields(element.text(), 2);
                    int index = index(fields[0], named);
                    offsets.put(
                            index,
                            TransferProtocol.number(fields[1], files.get(index).size()));
                }
                default ->
                    throw TransferProtocol.violation("unexpected element " + element.name() + " among the requests");
            }
        }
    }

    /** Returns whether the receiver has a file. */
    boolean isPresent(int index) {
        return present.get(index);
    }

    /** Returns the digest of a file that the receiver has. */
    byte[] sumOfPresent(int index) throws IOException {
        byte[] known = sums.get(index);
        if (known != null) {
            return known;
        }
        SourceFile file = files.get(index);
        return file.size() == 0 ? Sha256Digests.start().digest() : digests.digest(file);
    }

    /** Returns the offset of the first byte of a file that the receiver needs. */
    long offset(int index) {
        return offsets.getOrDefault(index, 0L);
    }
}
