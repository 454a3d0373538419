package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** What a receiver wants of each file, as the sender hears it. */
final class Wishes {

    private final int files;
    private final BitSet named = new BitSet();
    private final Map<Integer, byte[]> checks = new TreeMap<>();
    private final Map<Integer, Prefix> prefixes = new TreeMap<>();
    private int digestBytes;

    private Wishes(int files) {
        this.files = files;
    }

    /** Reads the wishes up to the last one. */
    static Wishes read(ElementReader reader, int files) throws InterruptedException {
        Wishes wishes = new Wishes(files);
        while (true) {
            MessageElement element = reader.next();
            switch (element.name()) {
                case Wire.GET -> wishes.get(element.text());
                case Wire.CHECK -> wishes.check(element.text());
                case Wire.HAVE -> wishes.have(element.text(), reader.next());
                case Wire.GO -> {
                    return wishes.complete();
                }
                default -> throw Wire.violation("'" + element.name() + "' among the wishes");
            }
        }
    }

    private void get(String text) {
        String[] fields = Wire.fields(text, 2);
        int last = (int) Wire.number(fields[1], files - 1L);
        for (int index = (int) Wire.number(fields[0], last); index <= last; index++) {
            name(index);
        }
    }

    private void check(String text) {
        String[] fields = Wire.fields(text, 2);
        int index = (int) Wire.number(fields[0], files - 1L);
        name(index);
        try {
            checks.put(index, HexFormat.of().parseHex(fields[1]));
        } catch (IllegalArgumentException e) {
            throw Wire.violation("'" + fields[1] + "' is no digest");
        }
    }

    private void have(String text, MessageElement digests) {
        if (!digests.name().equals(Wire.DIGESTS)) {
            throw Wire.violation("'" + digests.name() + "' where digests belong");
        }
        if (digests.size() > Wire.MAX_PREFIX_DIGEST_BYTES - digestBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "the beginnings of files have more than " + Wire.MAX_PREFIX_DIGEST_BYTES + " bytes of digests");
        }
        digestBytes += (int) digests.size();
        String[] fields = Wire.fields(text, 3);
        int index = (int) Wire.number(fields[0], files - 1L);
        name(index);
        prefixes.put(
                index,
                new Prefix(
                        Wire.number(fields[1], Long.MAX_VALUE),
                        Wire.number(fields[2], Long.MAX_VALUE),
                        digests.toByteArray()));
    }

    private void name(int index) {
        if (named.get(index)) {
            throw Wire.violation("file " + index + " is wanted twice");
        }
        named.set(index);
    }

    private Wishes complete() {
        if (named.cardinality() != files) {
            throw Wire.violation("only " + named.cardinality() + " of " + files + " files are wanted");
        }
        return this;
    }

    /** The digests of the files that are there already, by their index, in its order. */
    Map<Integer, byte[]> checks() {
        return checks;
    }

    /** What is there of a file's beginning, and the digest up to there. */
    Prefix.Match match(int index, SourceTree.SourceFile file) throws java.io.IOException {
        Prefix prefix = prefixes.get(index);
        return prefix == null ? Prefix.Match.none() : prefix.match(file.source());
    }
}
