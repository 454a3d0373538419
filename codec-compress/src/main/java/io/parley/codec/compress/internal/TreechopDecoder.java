package io.parley.codec.compress.internal;

import java.util.Arrays;

/** Writes the document to which nodes belong. */
final class TreechopDecoder {

    private static final byte[] NO_LABEL = {};

    private final byte[] in;
    private final XmlWriter writer;
    private final int maxPaths;
    private TreechopPath[] open = new TreechopPath[8];
    private int depth;
    private int paths;
    private int at;

    TreechopDecoder(byte[] nodes, GrowingArray out) {
        in = nodes;
        maxPaths = Treechop.maxPaths(out.room());
        writer = new XmlWriter(out);
        open[0] = TreechopPath.document();
    }

    void decode() {
        int from = at;
        writer.prologue(in, from, readRaw());
        readPath(readByte());
        if (depth == 0) {
            throw Malformed.because("a document begins without an element");
        }
        while (depth > 0) {
            readNode();
        }
        from = at;
        writer.epilogue(in, from, readRaw());
        if (at < in.length) {
            throw Malformed.because((in.length - at) + " bytes behind the nodes");
        }
    }

    private void readNode() {
        int first = readByte();
        switch (first) {
            case Treechop.TEXT -> {
                int from = at;
                writer.text(in, from, readRaw());
            }
            case Treechop.REST_OF_TAG -> {
                int from = at;
                writer.restOfTag(in, from, readRaw());
                depth = writer.depth();
            }
            case Treechop.UNUSUAL_END -> {
                int from = at;
                writer.endElement(in, from, readRaw());
                depth = writer.depth();
            }
            case Treechop.END -> {
                writer.endElement();
                depth = writer.depth();
            }
            default -> readPath(first);
        }
    }

    private void readPath(int bits) {
        int bytes = (bits + 7) / 8;
        if (bytes > in.length - at) {
            throw truncated();
        }
        TreechopPath parent = open[depth];
        int number = parent.numberOf(Arrays.copyOfRange(in, at, at + bytes), bits);
        at += bytes;
        if (number < 0 || number > parent.children()) {
            throw Malformed.because("a codeword is not that of a child of the present path");
        }
        TreechopPath path = number < parent.children() ? parent.child(number) : addPath(parent);
        if (path.kind.isElement()) {
            beginElement(path);
        } else if (path.kind.section == null) {
            writer.attributeName(path.label, 0, path.label.length, path.kind == TreechopKind.APOSTROPHE_ATTRIBUTE);
            int from = readLeaf();
            writer.attributeValue(in, from, readRaw());
        } else {
            int from = readLeaf();
            writer.section(path.kind.section, in, from, readRaw());
        }
    }

    private TreechopPath addPath(TreechopPath parent) {
        if (paths == maxPaths) {
            throw Malformed.because("more than " + maxPaths + " paths");
        }
        paths++;
        TreechopKind kind = TreechopKind.of(readByte());
        int from = at;
        int to = readRaw();
        return parent.add(kind, from == to ? NO_LABEL : Arrays.copyOfRange(in, from, to));
    }

    private void beginElement(TreechopPath path) {
        writer.startElement(path.label, 0, path.label.length, path.kind == TreechopKind.EMPTY_ELEMENT);
        depth = writer.depth();
        if (depth == open.length) {
            open = Arrays.copyOf(open, 2 * depth);
        }
        open[depth] = path;
    }

    /** Reads the first byte of the text that belongs to an attribute or a section, and returns where the text begins. */
    private int readLeaf() {
        if (readByte() != Treechop.TEXT) {
            throw Malformed.because("an attribute or a section has no text");
        }
        return at;
    }

    private int readByte() {
        if (at == in.length) {
            throw truncated();
        }
        return in[at++] & 0xff;
    }

    /** Reads bytes and the terminator behind them, and returns the position of the terminator. */
    private int readRaw() {
        for (int i = at; i < in.length; i++) {
            if (in[i] == Treechop.TERMINATOR) {
                at = i + 1;
                return i;
            }
        }
        throw truncated();
    }

    private static RuntimeException truncated() {
        return Malformed.because("the nodes are truncated");
    }
}
