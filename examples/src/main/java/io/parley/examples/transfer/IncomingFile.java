package io.parley.examples.transfer;

import io.parley.examples.console.CommandFailedException;
import io.parley.examples.transfer.TransferOffer.OfferedFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/** A file that is being received. Its bytes go to the part file and into the digest. */
final class IncomingFile implements AutoCloseable {

    private final OfferedFile file;
    private final Path part;
    private final FileChannel channel;
    private final MessageDigest digest = Sha256Digests.start();
    private long received;

    /**
     * Opens the part file.
     *
     * @param from the number of bytes to keep; they are read again for the digest
     */
    IncomingFile(OfferedFile file, Path part, long from) throws IOException {
        this.file = file;
        this.part = part;
        this.channel =
                FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            Sha256Digests.update(digest, channel, from);
            channel.truncate(from);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        this.received = from;
    }

    void write(MessageElement data) throws IOException {
        if (data.size() > file.size() - received) {
            throw TransferProtocol.violation(file.path() + " is longer than offered");
        }
        ByteBuffer bytes = data.asByteBuffer();
        digest.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        received += data.size();
    }

    /** Closes the part file and compares the digests. Deletes the part file if they differ. */
    byte[] finish(byte[] expected) throws IOException {
        if (received != file.size()) {
            throw TransferProtocol.violation(file.path() + " is shorter than offered");
        }
        channel.close();
        byte[] sum = digest.digest();
        if (!MessageDigest.isEqual(sum, expected)) {
            Files.delete(part);
            throw new CommandFailedException(file.path()
                    + " has arrived with a wrong SHA-256 and was deleted. Run the command again to receive it again.");
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
