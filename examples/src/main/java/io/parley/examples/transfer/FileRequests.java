package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** The requests of a receiver, one for each file, as the sender reads them. */
final class FileRequests {

    private final int files;
    private final BitSet requested = new BitSet();
    private final Map<Integer, byte[]> checks = new TreeMap<>();
    private final Map<Integer, FilePrefix> prefixes = new TreeMap<>();
    private int digestBytes;

    private FileRequests(int files) {
        this.files = files;
    }

    /** Reads all requests. */
    static FileRequests read(ElementReader reader, int files) throws InterruptedException {
        FileRequests requests = new FileRequests(files);
        while (true) {
            MessageElement element = reader.next();
            switch (element.name()) {
                case TransferProtocol.GET -> requests.get(element.text());
                case TransferProtocol.CHECK -> requests.check(element.text());
                case TransferProtocol.HAVE -> requests.have(element.text(), reader.next());
                case TransferProtocol.GO -> {
                    return requests.complete();
                }
                default ->
                    throw TransferProtocol.violation("unexpected element " + element.name() + " among the requests");
            }
        }
    }

    private void get(String text) {
        String[] fields = TransferProtocol.fields(text, 2);
        int last = (int) TransferProtocol.number(fields[1], files - 1L);
        for (int index = (int) TransferProtocol.number(fields[0], last); index <= last; index++) {
            markRequested(index);
        }
    }

    private void check(String text) {
        String[] fields = TransferProtocol.fields(text, 2);
        int index = (int) TransferProtocol.number(fields[0], files - 1L);
        markRequested(index);
        try {
            checks.put(index, HexFormat.of().parseHex(fields[1]));
        } catch (IllegalArgumentException e) {
            throw TransferProtocol.violation("digest: " + fields[1] + " (expected: hexadecimal)");
        }
    }

    private void have(String text, MessageElement digests) {
        if (!digests.name().equals(TransferProtocol.DIGESTS)) {
            throw TransferProtocol.violation(
                    "unexpected element " + digests.name() + " (expected: " + TransferProtocol.DIGESTS + ")");
        }
        if (digests.size() > TransferProtocol.MAX_PREFIX_DIGEST_BYTES - digestBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("digests of file prefixes: too many bytes (expected: <= "
                    + TransferProtocol.MAX_PREFIX_DIGEST_BYTES + ")");
        }
        digestBytes += (int) digests.size();
        String[] fields = TransferProtocol.fields(text, 3);
        int index = (int) TransferProtocol.number(fields[0], files - 1L);
        markRequested(index);
        prefixes.put(
                index,
                new FilePrefix(
                        TransferProtocol.number(fields[1], Long.MAX_VALUE),
                        TransferProtocol.number(fields[2], Long.MAX_VALUE),
                        digests.toByteArray()));
    }

    private void markRequested(int index) {
        if (requested.get(index)) {
            throw TransferProtocol.violation("file " + index + " is requested twice");
        }
        requested.set(index);
    }

    private FileRequests complete() {
        if (requested.cardinality() != files) {
            throw TransferProtocol.violation(
                    "requested files: " + requested.cardinality() + " (expected: " + files + ")");
        }
        return this;
    }

    /** Returns the digests of the files that the receiver has, by index, in ascending order. */
    Map<Integer, byte[]> checks() {
        return checks;
    }

    /** Returns the matching beginning of a file that the receiver has, and its digest. */
    FilePrefix.Match match(int index, SourceTree.SourceFile file) throws java.io.IOException {
        FilePrefix prefix = prefixes.get(index);
        return prefix == null ? FilePrefix.Match.none() : prefix.match(file.source());
    }
}
