package io.parley.identity;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Stores an identity in a peer's home directory, as the PEM file {@value #FILE_NAME}. The file is the peer: a copy is
 * sufficient to act as this peer, and the loss of the file is the loss of the peer id.
 *
 * <p>The file is readable by its owner only from its first byte on, and it appears atomically. An existing file is never
 * overwritten, not even a damaged one. If other users can read the file, their permissions are removed and a warning is
 * logged.
 *
 * <p>The methods block on file access.
 */
final class IdentityStore {
    /** The name of the file in the home directory. */
    static final String FILE_NAME = "identity.pem";

    private IdentityStore() {}

    /**
     * Returns the identity in a home directory. The first start of a peer creates the directory and the identity. If
     * several processes call this method at once, all get the same identity.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_UNREADABLE} if the file is damaged or cannot be read, or if
     *     there is none and it cannot be written; the message names the remedy
     */
    static Identity loadOrCreate(Path home) {
        return loadOrCreate(home, new SecureRandom());
    }

    /** Returns the identity in a home directory; a new identity is generated from {@code random}. */
    static Identity loadOrCreate(Path home, SecureRandom random) {
        Path directory = directory(home);
        try {
            return read(directory.resolve(FILE_NAME));
        } catch (NoSuchFileException e) {
            create(directory, Identity.generate(random));
        }
        // The file contains the identity of the process that created it first.
        return load(home);
    }

    /**
     * Returns the identity in a home directory.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_UNREADABLE} if there is none, or if it is damaged or cannot be
     *     read; the message names the remedy
     */
    static Identity load(Path home) {
        Path file = directory(home).resolve(FILE_NAME);
        try {
            return read(file);
        } catch (NoSuchFileException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "identity file " + file + ": does not exist; check that " + file.getParent()
                            + " is the home of a peer",
                    e);
        }
    }

    private static Path directory(Path home) {
        return home.toAbsolutePath().normalize();
    }

    private static Identity read(Path file) throws NoSuchFileException {
        try {
            return IdentityPem.decode(IdentityFile.read(file));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "identity file " + file + ": cannot be read (" + describe(e)
                            + "); grant read access to the user that runs the peer",
                    e);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "identity file " + file + ": " + e.getMessage()
                            + "; restore the file from a backup, or move it away to start as a new peer",
                    e);
        }
    }

    private static void create(Path directory, Identity identity) {
        try {
            IdentityFile.create(directory, FILE_NAME, IdentityPem.encode(identity));
        } catch (IOException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "home directory " + directory + ": a new identity cannot be written (" + describe(e)
                            + "); grant write access to the user that runs the peer, or use another home directory",
                    e);
        }
    }

    private static String describe(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
