package com.example.supplier;

public interface SupplierClient {

	int stock(String article);

}
