package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** What a receiver wants of each file, as the sender hears it. */
final class FileRequests {

    private final int files;
    private final BitSet named = new BitSet();
    private final Map<Integer, byte[]> checks = new TreeMap<>();
    private final Map<Integer, FilePrefix> prefixes = new TreeMap<>();
    private int digestBytes;

    private FileRequests(int files) {
        this.files = files;
    }

    /** Reads the wishes up to the last one. */
    static FileRequests read(ElementReader reader, int files) throws InterruptedException {
        FileRequests wishes = new FileRequests(files);
        while (true) {
            MessageElement element = reader.next();
            switch (element.name()) {
                case TransferProtocol.GET -> wishes.get(element.text());
                case TransferProtocol.CHECK -> wishes.check(element.text());
                case TransferProtocol.HAVE -> wishes.have(element.text(), reader.next());
                case TransferProtocol.GO -> {
                    return wishes.complete();
                }
                default -> throw TransferProtocol.violation("'" + element.name() + "' among the wishes");
            }
        }
    }

    private void get(String text) {
        String[] fields = TransferProtocol.fields(text, 2);
        int last = (int) TransferProtocol.number(fields[1], files - 1L);
        for (int index = (int) TransferProtocol.number(fields[0], last); index <= last; index++) {
            name(index);
        }
    }

    private void check(String text) {
        String[] fields = TransferProtocol.fields(text, 2);
        int index = (int) TransferProtocol.number(fields[0], files - 1L);
        name(index);
        try {
            checks.put(index, HexFormat.of().parseHex(fields[1]));
        } catch (IllegalArgumentException e) {
            throw TransferProtocol.violation("'" + fields[1] + "' is no digest");
        }
    }

    private void have(String text, MessageElement digests) {
        if (!digests.name().equals(TransferProtocol.DIGESTS)) {
            throw TransferProtocol.violation("'" + digests.name() + "' where digests belong");
        }
        if (digests.size() > TransferProtocol.MAX_PREFIX_DIGEST_BYTES - digestBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("the beginnings of files have more than "
                    + TransferProtocol.MAX_PREFIX_DIGEST_BYTES + " bytes of digests");
        }
        digestBytes += (int) digests.size();
        String[] fields = TransferProtocol.fields(text, 3);
        int index = (int) TransferProtocol.number(fields[0], files - 1L);
        name(index);
        prefixes.put(
                index,
                new FilePrefix(
                        TransferProtocol.number(fields[1], Long.MAX_VALUE),
                        TransferProtocol.number(fields[2], Long.MAX_VALUE),
                        digests.toByteArray()));
    }

    private void name(int index) {
        if (named.get(index)) {
            throw TransferProtocol.violation("file " + index + " is wanted twice");
        }
        named.set(index);
    }

    private FileRequests complete() {
        if (named.cardinality() != files) {
            throw TransferProtocol.violation("only " + named.cardinality() + " of " + files + " files are wanted");
        }
        return this;
    }

    /** The digests of the files that are there already, by their index, in its order. */
    Map<Integer, byte[]> checks() {
        return checks;
    }

    /** What is there of a file's beginning, and the digest up to there. */
    FilePrefix.Match match(int index, SourceTree.SourceFile file) throws java.io.IOException {
        FilePrefix prefix = prefixes.get(index);
        return prefix == null ? FilePrefix.Match.none() : prefix.match(file.source());
    }
}
