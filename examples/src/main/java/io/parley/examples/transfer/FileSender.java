package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.transfer.SourceTree.SourceFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;

/** Sends files. Lists the files again for each receiver, and keeps nothing between transfers but digests of files that receivers have. */
public final class FileSender {

    /** The topic of the conversations: the name of the command that joins them. */
    public static final String TOPIC = TransferProtocol.TOPIC;

    /** Receives the progress of a transfer, on the thread of the transfer. */
    public interface Listener {

        /** A receiver has connected and the transfer starts. */
        void started(String title, long files, long bytes);

        /** Bytes have been sent. */
        void sent(long bytes);

        /** The receiver has these bytes already; they need no transfer. */
        void skipped(long bytes);
    }

    /** The time for a decision of the user at the receiver. A silent receiver must not hold its place longer. */
    private static final Duration MAX_SILENCE = Duration.ofMinutes(10);

    /** The rate at which a receiver at least reads the files that it has, before it says what it needs. */
    private static final int BYTES_PER_MILLISECOND = 20_000;

    private final List<Path> roots;
    private final Duration maxSilence;
    private final FileDigestCache digests;

    /** Creates a sender of files and directories. */
    public FileSender(List<Path> roots) {
        this(roots, MAX_SILENCE, new FileDigestCache());
    }

    FileSender(List<Path> roots, Duration maxSilence, FileDigestCache digests) {
        this.roots = List.copyOf(roots);
        this.maxSilence = maxSilence;
        this.digests = digests;
    }

    /** Lists the files without sending them, so that errors appear before a receiver connects. */
    public TransferSummary summary() throws IOException {
        SourceTree tree = SourceTree.scan(roots);
        return new TransferSummary(tree.title(), tree.files().size(), tree.bytes(), tree.omitted(), "");
    }

    /**
     * Sends all files to one receiver and waits until it has confirmed them.
     *
     * @throws ParleyException if the receiver disconnects or fails, or if a file cannot be read; in the last case the
     *     reason is sent to the receiver
     */
    public TransferSummary send(Conversation conversation, Listener listener) throws InterruptedException {
        try {
            SourceTree tree = SourceTree.scan(roots);
            digests.retain(tree);
            return new Transfer(conversation, tree, listener, maxSilence, digests).run();
        } catch (IOException e) {
            // The reason may contain paths of this computer, which the receiver must not learn.
            throw ErrorCode.NOT_ENCODABLE.exception("the sender cannot read a file; the reason is shown there", e);
        }
    }

    private static final class Transfer {
        private final SourceTree tree;
        private final Listener listener;
        private final FileDigestCache digests;
        private final ElementWriter writer;
        private final ElementReader reader;
        private final byte[][] sums;

        Transfer(
                Conversation conversation,
                SourceTree tree,
                Listener listener,
                Duration maxSilence,
                FileDigestCache digests) {
            this.tree = tree;
            this.listener = listener;
            this.digests = digests;
            Duration silence = maxSilence.plusMillis(tree.bytes() / BYTES_PER_MILLISECOND);
            this.writer = new ElementWriter(conversation, silence);
            this.reader = new ElementReader(conversation, silence);
            this.sums = new byte[tree.files().size()][];
        }

        TransferSummary run() throws IOException, InterruptedException {
            listener.started(tree.title(), tree.files().size(), tree.bytes());
            list();
            FileRequests requests = FileRequests.read(reader, writer, tree.files(), digests);
            for (int index = 0; index < sums.length; index++) {
                if (requests.isPresent(index)) {
                    sums[index] = requests.sumOfPresent(index);
                    listener.skipped(tree.files().get(index).size());
                } else {
                    send(index, requests.offset(index));
                }
            }
            String digest = digest();
            writer.write(TransferProtocol.DONE, digest);
            writer.flush();
            awaitReceipt(digest);
            return new TransferSummary(tree.title(), tree.files().size(), tree.bytes(), tree.omitted(), digest);
        }

        private void list() {
            tree.directories().forEach(directory -> writer.write(TransferProtocol.DIR, directory.text()));
            tree.files().forEach(file -> writer.write(TransferProtocol.FILE, file.size() + " " + file.path()));
            writer.write(TransferProtocol.LISTED, tree.files().size() + " " + tree.bytes());
            writer.flush();
        }

        private void send(int index, long offset) throws IOException {
            SourceFile file = tree.files().get(index);
            MessageDigest digest = Sha256Digests.start();
            writer.write(TransferProtocol.BEGIN, index + " " + offset);
            listener.skipped(offset);
            try (FileChannel channel = open(file)) {
                Sha256Digests.update(digest, channel, offset);
                for (long left = file.size() - offset; left > 0; ) {
                    byte[] bytes = read(file, channel, (int) Math.min(writer.bytesLeft(), left));
                    digest.update(bytes);
                    writer.write(TransferProtocol.DATA, bytes);
                    listener.sent(bytes.length);
                    left -= bytes.length;
                }
            }
            sums[index] = digest.digest();
            writer.write(TransferProtocol.SUM, sums[index].clone());
        }

        private static byte[] read(SourceFile file, FileChannel channel, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(length);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw changed(file);
                }
            }
            return buffer.array();
        }

        private static FileChannel open(SourceFile file) throws IOException {
            if (Files.size(file.source()) != file.size()) {
                throw changed(file);
            }
            return FileChannel.open(file.source());
        }

        private static ParleyException changed(SourceFile file) {
            return ErrorCode.NOT_ENCODABLE.exception(file.path() + " has changed during the transfer");
        }

        private String digest() {
            Sha256Digests.OfList list = new Sha256Digests.OfList();
            for (int index = 0; index < sums.length; index++) {
                list.add(sums[index], tree.files().get(index).path());
            }
            return list.hex();
        }

        private void awaitReceipt(String digest) throws InterruptedException {
            MessageElement receipt = reader.next();
            if (!receipt.name().equals(TransferProtocol.RECEIVED)
                    || !receipt.text().equals(digest)) {
                throw TransferProtocol.violation("the receiver confirms another digest");
            }
        }
    }
}
