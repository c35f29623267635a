package io.lockable.test;
