package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.transfer.TransferOffer.OfferedFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a transfer. What an earlier attempt left is continued from where its digests are right. A file
 * that was received survives the death of this process, but is not forced to the disk: after a power cut run it again,
 * and it is compared once more.
 */
public final class FileReceiver {

    /** Hears how a transfer goes on; called on its thread. */
    public interface Listener {

        /** This is what there is. */
        void started(String title, long files, long bytes);

        /** So many bytes have come. */
        void received(long bytes);

        /** So many bytes need not come: they are here. */
        void spared(long bytes);
    }

    private final Path directory;
    private final boolean force;
    private final Listener listener;

    /**
     * A receiver into a directory, which is made when it is missing.
     *
     * @param force whether files with other content are replaced
     */
    public FileReceiver(Path directory, boolean force, Listener listener) {
        this.directory = directory;
        this.force = force;
        this.listener = listener;
    }

    /**
     * Receives everything.
     *
     * @throws ParleyException when the sender is gone or gives up; what has come is kept
     * @throws CommandFailedException when this side can't go on; the sender hears why
     * @throws IOException the same, for a reason of the file system
     */
    public TransferSummary receive(Conversation conversation) throws IOException, InterruptedException {
        try (ReceiveDirectory destination = ReceiveDirectory.open(directory)) {
            return new Transfer(conversation, destination).run();
        } catch (ParleyException e) {
            ParleyException reason = conversation.farewell().orElse(e);
            conversation.fail(e);
            throw reason;
        } catch (IOException | CommandFailedException e) {
            conversation.fail(ErrorCode.DISCONNECTED.exception("the receiver gives up: " + FailureFormatter.sentence(e)));
            throw e;
        }
    }

    private final class Transfer {
        private final Conversation conversation;
        private final ReceiveDirectory destination;
        private final ElementReader reader;
        private final ElementWriter writer;
        private @Nullable IncomingFile incoming;
        private int incomingIndex;
        /** The digests of the files that are here already, by their index. */
        private final Map<Integer, String> present = new HashMap<>();

        private int digestBytes;

        Transfer(Conversation conversation, ReceiveDirectory destination) {
            this.conversation = conversation;
            this.destination = destination;
            this.reader = new ElementReader(conversation);
            this.writer = new ElementWriter(conversation);
        }

        TransferSummary run() throws IOException, InterruptedException {
            TransferOffer offer = TransferOffer.read(reader);
            String title = title(offer);
            listener.started(title, offer.files().size(), offer.bytes());
            wish(offer);
            byte[][] sums = new byte[offer.files().size()][];
            String digest;
            try {
                digest = takeAll(offer, sums);
            } finally {
                if (incoming != null) {
                    incoming.close();
                }
            }
            for (TransferPath path : offer.directories()) {
                destination.makeDirectory(path);
            }
            check(offer, sums, digest);
            writer.write(TransferProtocol.RECEIVED, digest);
            writer.flush();
            if (conversation.receive().isPresent()) {
                throw TransferProtocol.violation("the sender goes on after the end");
            }
            return new TransferSummary(title, offer.files().size(), offer.bytes(), 0, digest);
        }

        private static String title(TransferOffer offer) {
            if (offer.directories().isEmpty() && offer.files().size() == 1) {
                return offer.files().get(0).path().text();
            }
            return offer.directories().isEmpty()
                    ? TextFormatter.count(offer.files().size(), "file")
                    : offer.directories().get(0) + "/";
        }

        private void wish(TransferOffer offer) throws IOException {
            long missing = 0;
            int first = 0;
            for (int index = 0; index < offer.files().size(); index++) {
                OfferedFile file = offer.files().get(index);
                long here = wishSpecially(index, file, first);
                if (here >= 0) {
                    first = index + 1;
                }
                missing += file.size() - Math.max(0, here);
            }
            wishPlainly(first, offer.files().size());
            writer.write(TransferProtocol.GO, "");
            checkSpace(missing);
            writer.flush();
        }

        private void wishPlainly(int first, int end) {
            if (first < end) {
                writer.write(TransferProtocol.GET, first + " " + (end - 1));
            }
        }

        /** Says what is here of a file, and how much that is; -1 when there is nothing. */
        private long wishSpecially(int index, OfferedFile file, int first) throws IOException {
            destination.checkWay(file.path());
            Path target = destination.target(file.path());
            long size = destination.sizeOf(target);
            if (size == file.size()) {
                wishPlainly(first, index);
                if (!force || size == 0) {
                    String digest = Sha256Digests.hexOf(target);
                    present.put(index, digest);
                    writer.write(TransferProtocol.CHECK, index + " " + digest);
                    return size;
                }
                return wishRest(index, target, size) ? size : plain(index);
            }
            if (size >= 0 && !force) {
                throw exists(file);
            }
            Path part = destination.part(file.path());
            long partSize = Math.min(file.size(), destination.sizeOf(part));
            if (partSize > 0) {
                wishPlainly(first, index);
                return wishRest(index, part, partSize) ? partSize : plain(index);
            }
            return -1;
        }

        private long plain(int index) {
            wishPlainly(index, index + 1);
            return 0;
        }

        private boolean wishRest(int index, Path path, long length) throws IOException {
            FilePrefix prefix = FilePrefix.of(path, length);
            if (prefix.digests().length > TransferProtocol.MAX_PREFIX_DIGEST_BYTES - digestBytes) {
                return false;
            }
            digestBytes += prefix.digests().length;
            writer.write(TransferProtocol.HAVE, index + " " + length + " " + prefix.step());
            writer.write(TransferProtocol.DIGESTS, prefix.digests());
            return true;
        }

        private CommandFailedException exists(OfferedFile file) {
            return new CommandFailedException(destination.target(file.path())
                    + " exists with other content. Use --force to overwrite it, or choose another --out.");
        }

        private void checkSpace(long missing) throws IOException {
            long usable = Files.getFileStore(destination.root()).getUsableSpace();
            if (missing > usable) {
                throw new CommandFailedException(
                        "There is room for " + TextFormatter.bytes(usable) + " in " + destination.root() + ", but "
                                + TextFormatter.bytes(missing) + " are missing. Choose another --out.");
            }
        }

        private String takeAll(TransferOffer offer, byte[][] sums) throws IOException, InterruptedException {
            while (true) {
                MessageElement element = reader.next();
                switch (element.name()) {
                    case TransferProtocol.SAME -> same(offer, sums, element.text());
                    case TransferProtocol.DIFFERS ->
                        throw exists(
                                offer.files().get((int) TransferProtocol.number(element.text(), sums.length - 1L)));
                    case TransferProtocol.BEGIN -> begin(offer, sums, element.text());
                    case TransferProtocol.DATA -> {
                        requireIncoming().write(element);
                        listener.received(element.size());
                    }
                    case TransferProtocol.SUM -> finish(offer, sums, element.toByteArray());
                    case TransferProtocol.DONE -> {
                        return element.text();
                    }
                    default -> throw TransferProtocol.violation("'" + element.name() + "' among the files");
                }
            }
        }

        private void same(TransferOffer offer, byte[][] sums, String text) {
            String[] fields = TransferProtocol.fields(text, 2);
            int index = (int) TransferProtocol.number(fields[0], sums.length - 1L);
            String digest = present.remove(index);
            if (digest == null || !digest.equals(fields[1])) {
                throw TransferProtocol.violation("file " + index + " is not the same as the one that was asked about");
            }
            sums[index] = HexFormat.of().parseHex(digest);
            listener.spared(offer.files().get(index).size());
        }

        private void begin(TransferOffer offer, byte[][] sums, String text) throws IOException {
            String[] fields = TransferProtocol.fields(text, 2);
            int index = (int) TransferProtocol.number(fields[0], sums.length - 1L);
            if (incoming != null || sums[index] != null) {
                throw TransferProtocol.violation("file " + index + " begins out of turn");
            }
            OfferedFile file = offer.files().get(index);
            long from = TransferProtocol.number(fields[1], file.size());
            Path part = destination.part(file.path());
            if (from > Math.max(0, destination.sizeOf(part))) {
                copyBeginning(destination.target(file.path()), part, from);
            }
            incoming = new IncomingFile(file, part, from);
            incomingIndex = index;
            listener.spared(from);
        }

        /** The beginning was found in the file that is to be replaced. */
        private void copyBeginning(Path target, Path part, long length) throws IOException {
            if (!force || length > destination.sizeOf(target)) {
                throw TransferProtocol.violation("the sender leaves out what is not here");
            }
            try (FileChannel from = FileChannel.open(target);
                    FileChannel to = FileChannel.open(
                            part,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                for (long copied = 0; copied < length; ) {
                    copied += from.transferTo(copied, length - copied, to);
                }
            }
        }

        private IncomingFile requireIncoming() {
            if (incoming == null) {
                throw TransferProtocol.violation("bytes without a file");
            }
            return incoming;
        }

        private void finish(TransferOffer offer, byte[][] sums, byte[] expected) throws IOException {
            try (IncomingFile finished = requireIncoming()) {
                incoming = null;
                sums[incomingIndex] = finished.finish(expected);
            }
            destination.install(offer.files().get(incomingIndex).path(), force);
        }

        private void check(TransferOffer offer, byte[][] sums, String digest) {
            Sha256Digests.OfList list = new Sha256Digests.OfList();
            for (int index = 0; index < sums.length; index++) {
                if (sums[index] == null) {
                    throw TransferProtocol.violation(offer.files().get(index).path() + " is missing");
                }
                list.add(sums[index], offer.files().get(index).path());
            }
            if (!list.hex().equals(digest)) {
                throw TransferProtocol.violation("the digest over all files is wrong");
            }
        }
    }
}
